-- All votes that a row holds: member ids, with a minus for down.
local function votesOf(row)
  local votes = {}
  for at = string.find(row, '\n', 9, true) + 1, #row, 9 do
    local low, high = struct.unpack('<I4I5', row, at)
    local sign = ''
    if high >= 549755813888 then sign, high = '-', high - 549755813888 end
    votes[#votes + 1] = sign .. (high > 0 and string.format('%d%09d', high, low) or string.format('%d', low))
  end
  return votes
end
