-- A removed article as `removed` keeps it: '<time of removal, ms> <row>', a line feed, its text.
-- Returns the row, the time and the text; nil if there is none, or if its row cannot be read.
local function parseRemoved(kept)
  local time, rowText, text = string.match(kept or '', '^(%d+) ([^\n]*)\n(.*)$')
  local row = parseRow(rowText)
  if not row then return nil end
  return row, time, text
end

local function formatRemoved(row, time, text)
  return time .. ' ' .. formatRow(row) .. '\n' .. text
end
