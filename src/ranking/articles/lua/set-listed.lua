-- Lists an article in the guild or hides it, after the visibility of its home channel changed.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  interesting  sorted set
-- KEYS[3]  scores       sorted set  the guild's ranking by score
-- KEYS[4]  times        sorted set  the guild's ranking by post time
-- KEYS[5]  votes        sorted set  the guild's closed articles by net votes
-- ARGV[1]  article      snowflake
-- ARGV[2]  seconds      the article's post time
-- ARGV[3]  listed       'l' for listed, 'h' for hidden
-- ARGV[4]  channel      the home channel that changed; an article with another home stays as it is
-- Also touches: the same rankings of the article's groups, each key followed by :<channel>.
-- Returns {'changed'}
--         {'unchanged'}
--         {'unknown'}  no such article
-- include row
-- include score
-- include places
local articles = KEYS[1]
local rankings = { interesting = KEYS[2], scores = KEYS[3], times = KEYS[4], votes = KEYS[5] }
local article, seconds, listed, channel = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local rows, mark = readRows(articles, {article})
local row = rows[article]
if not row then return {'unknown'} end
local home = string.match(row.groups, '^%d+')
if row.listed == listed or home ~= channel then return {'unchanged'} end

displace(rankings, article, row)
row.listed = listed
redis.call('HSET', articles, article, formatRow(row))
place(rankings, article, row, seconds, mark)
return {'changed'}
