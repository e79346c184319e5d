-- Gives an article another home group. Its message stays in its channel.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  interesting  sorted set
-- KEYS[3]  scores       sorted set  the guild's ranking by score
-- KEYS[4]  times        sorted set  the guild's ranking by post time
-- KEYS[5]  votes        sorted set  the guild's closed articles by net votes
-- ARGV[1]  article      snowflake
-- ARGV[2]  seconds      the article's post time
-- ARGV[3]  home         channel: the new home group; the article leaves the old one
-- ARGV[4]  listed       'l' if the new home is listed, 'h' if it is hidden
-- Also touches: the same rankings of the article's groups, each key followed by :<channel>.
-- Returns {'moved', groups}  separated by commas, the new home group first
--         {'unchanged', groups}
--         {'unknown'}        no such article
-- include row
-- include score
-- include places
local articles = KEYS[1]
local rankings = { interesting = KEYS[2], scores = KEYS[3], times = KEYS[4], votes = KEYS[5] }
local article, seconds, home, listed = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local rows, mark = readRows(articles, {article})
local row = rows[article]
if not row then return {'unknown'} end
local old = string.match(row.groups, '^%d+')
if old == home then return {'unchanged', row.groups} end

displace(rankings, article, row)
local groups = {home}
for group in string.gmatch(row.groups, '%d+') do
  if group ~= home and group ~= old then groups[#groups + 1] = group end
end
row.groups, row.listed = table.concat(groups, ','), listed
-- The thread field holds the message's channel unless that is the home group.
if row.thread == '' then row.thread = old elseif row.thread == home then row.thread = '' end
redis.call('HSET', articles, article, formatRow(row))
place(rankings, article, row, seconds, mark)
return {'moved', row.groups}
