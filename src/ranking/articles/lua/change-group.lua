-- Adds an article to a group or removes it from one. The home group stays.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article      snowflake
-- ARGV[2]  change       'add' or 'remove'
-- ARGV[3]  group        channel
-- ARGV[4]  most         the largest number of groups of an article
-- Returns {'changed'}
--         {'unchanged'}
--         {'unknown'}    no such article
--         {'home'}       the home group cannot be removed
--         {'hidden'}     not listed, so it cannot be in another group
--         {'full'}       it would be in too many groups
-- include guild-keys
-- include row
-- include rankings
local article, change, group, most = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])

local row, scale = readRow(articles, article)
if not row then return {'unknown'} end

local home = string.match(row.groups, '^%d+')
local groups, isInGroup = {}, false
for each in string.gmatch(row.groups, '%d+') do
  if each == group then isInGroup = true else groups[#groups + 1] = each end
end
if isInGroup == (change == 'add') then return {'unchanged'} end
if change == 'remove' then
  if group == home then return {'home'} end
else
  if row.listed == 'h' then return {'hidden'} end
  if #groups == most then return {'full'} end
  groups[#groups + 1] = group
end

show(article)
row.groups = table.concat(groups, ',')
-- Before the row: if Redis refuses it, the row still says where the article stands.
if change == 'remove' then displaceFrom(rankings, ':' .. group, article) end
redis.call('HSET', articles, article, formatRow(row))
if change == 'add' then rankIn(rankings, ':' .. group, article, row, scale) end
return {'changed'}
