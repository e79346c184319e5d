-- The score as it is written: whole from the tally, never stepped; where it is an integer as one, which
-- costs half as much.
local function scoreOf(seconds, mark, net)
  local score = seconds + 86400 / mark * net
  return string.format(score % 1 == 0 and '%d' or '%.17g', score)
end
