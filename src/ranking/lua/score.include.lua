-- The score is always computed from the tally, so it does not drift.
local function scoreOf(row, mark)
  return string.format('%.17g', row.seconds + 86400 / mark * (row.up - row.down))
end
