-- The score is made anew from the tally each time, so it does not drift. Written as an integer where it
-- is one, it costs half as much.
local function scoreOf(row, seconds, mark)
  local score = seconds + 86400 / mark * (row.up - row.down)
  return string.format(score % 1 == 0 and '%d' or '%.17g', score)
end
