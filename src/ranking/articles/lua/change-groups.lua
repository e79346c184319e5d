-- Adds an article to groups and removes it from others. The home group stays.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article      snowflake
-- ARGV[2]  seconds      the article's post time
-- ARGV[3]  most         the largest number of groups of an article
-- ARGV[4]  add          channels, separated by commas
-- ARGV[5]  remove       channels, separated by commas
-- Returns {'changed', groups}    groups separated by commas, the home group first
--         {'unchanged', groups}
--         {'unknown'}            no such article
--         {'home', groups}       the home group cannot be removed
--         {'hidden', groups}     not listed, so it cannot be in another group
--         {'full', groups}       it would be in too many groups
-- include guild-keys
-- include row
-- include score
-- include places
local article, seconds, most = ARGV[1], ARGV[2], tonumber(ARGV[3])
local add, remove = ARGV[4], ARGV[5]

local row, mark = readRow(articles, article)
if not row then return {'unknown'} end

local leaves, entered, groups, home = {}, {}, {}, nil
for group in string.gmatch(remove, '%d+') do leaves[group] = true end
for group in string.gmatch(row.groups, '%d+') do
  home = home or group
  if leaves[group] then
    if group == home then return {'home', row.groups} end
  else
    groups[#groups + 1], groups[group] = group, true
  end
end
for group in string.gmatch(add, '%d+') do
  if not groups[group] and not leaves[group] then
    groups[#groups + 1], groups[group] = group, true
    entered[#entered + 1] = group
  end
end
if #entered > 0 and row.listed == 'h' then return {'hidden', row.groups} end
if #entered > 0 and #groups > most then return {'full', row.groups} end
local after = table.concat(groups, ',')
if after == row.groups then return {'unchanged', row.groups} end

row.groups = after
redis.call('HSET', articles, article, formatRow(row))
for group in pairs(leaves) do displaceFrom(rankings, ':' .. group, article) end
for _, group in ipairs(entered) do placeIn(rankings, ':' .. group, article, row, seconds, mark) end
return {'changed', after}
