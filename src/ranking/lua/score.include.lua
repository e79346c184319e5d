-- The score is always computed from the tally, so it does not drift. Formatting a whole number as an
-- integer costs half as much.
local function scoreOf(row, seconds, mark)
  local score = seconds + 86400 / mark * (row.up - row.down)
  return string.format(score % 1 == 0 and '%d' or '%.17g', score)
end
