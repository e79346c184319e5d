-- A removed article as `removed` keeps it: '<removal> <row>', a line feed, its text. The removal
-- is its time in ms, and a p if the poster removed it.
-- Returns the row, the removal and the text; nil if there is none, or if its row cannot be read.
local function parseRemoved(stored)
  local removal, rowText, text = string.match(stored or '', '^(%w+) ([^\n]*)\n(.*)$')
  local row = parseRow(rowText)
  if not row then return nil end
  return row, removal, text
end

local function formatRemoved(row, removal, text)
  return removal .. ' ' .. formatRow(row) .. '\n' .. text
end
