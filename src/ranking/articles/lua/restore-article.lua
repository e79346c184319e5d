-- Restores a removed article with its votes.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  links        hash        digest of the canonical link -> article
-- KEYS[3]  open         set         articles whose voting is not closed
-- KEYS[4]  interesting  sorted set
-- KEYS[5]  scores       sorted set  the guild's ranking by score
-- KEYS[6]  times        sorted set  the guild's ranking by post time
-- KEYS[7]  votes        sorted set  the guild's closed articles by net votes
-- KEYS[8]  removed      hash        article -> a removed article (see `removed.include.lua`)
-- KEYS[9]  texts        hash        article -> link, title and comment
-- ARGV[1]  article      snowflake
-- ARGV[2]  seconds      the article's post time
-- ARGV[3]  listed       'l' if its home channel is listed now, 'h' if it is hidden
-- Also touches: the same rankings of the article's groups, each key followed by :<channel>.
-- Returns {'restored'}
--         {'unchanged'}           it is not removed
--         {'duplicate', article}  its link belongs to another article now
--         {'unknown'}             no removed article with this id
-- include row
-- include removed
-- include score
-- include places
local articles, links, open = KEYS[1], KEYS[2], KEYS[3]
local rankings = { interesting = KEYS[4], scores = KEYS[5], times = KEYS[6], votes = KEYS[7] }
local removed, texts = KEYS[8], KEYS[9]
local article, seconds, listed = ARGV[1], ARGV[2], ARGV[3]

local rows, mark = readRows(articles, {article})
if rows[article] then return {'unchanged'} end
local row, _, text = parseRemoved(redis.call('HGET', removed, article))
if not row then return {'unknown'} end
local owner = redis.call('HGET', links, row.digest)
if owner and owner ~= article then return {'duplicate', owner} end

row.listed = listed
redis.call('HSET', articles, article, formatRow(row))
redis.call('HSET', texts, article, text)
redis.call('HDEL', removed, article)
redis.call('HSET', links, row.digest, article)
if not row.closed then redis.call('SADD', open, article) end
place(rankings, article, row, seconds, mark)
return {'restored'}
