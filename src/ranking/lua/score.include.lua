-- The score is always computed from the tally, so it does not drift.
local function scoreOf(row, seconds, mark)
  return string.format('%.17g', seconds + 86400 / mark * (row.up - row.down))
end
