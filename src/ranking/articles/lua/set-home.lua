-- Gives an article a home group, which is listed or hidden. Its message stays in its channel.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article  snowflake
-- ARGV[2]  home     channel: the home group from now on; the article leaves the old one
-- ARGV[3]  listed   'l' if the home is listed, 'h' if it is hidden
-- ARGV[4]  from     channel: move the article only from this home; empty: from any home
-- Returns {'moved'}
--         {'unchanged'}
--         {'unknown'}  no such article
-- include guild-keys
-- include row
-- include rankings
local article, home, listed, from = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local row, scale = readRow(articles, article)
if not row then return {'unknown'} end
local old = string.match(row.groups, '^%d+')
if from ~= '' and old ~= from then return {'unchanged'} end
if old == home and row.listed == listed then return {'unchanged'} end

if old ~= home then show(article) end
displace(rankings, article, row)
local groups = {home}
for group in string.gmatch(row.groups, '%d+') do
  if group ~= home and group ~= old then groups[#groups + 1] = group end
end
row.groups, row.listed = table.concat(groups, ','), listed
-- The thread field holds the message's channel unless that is the home group.
local channel = row.thread == '' and old or row.thread
row.thread = channel == home and '' or channel
redis.call('HSET', articles, article, formatRow(row))
place(rankings, article, row, scale)
return {'moved'}
