-- Restores a removed article with its votes.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article      snowflake
-- ARGV[2]  listed       'l' if its home channel is listed now, 'h' if it is hidden
-- Returns {'restored'}
--         {'unchanged'}           it is not removed
--         {'duplicate', article}  its link belongs to another article now
--         {'unknown'}             no removed article with this id
-- include guild-keys
-- include row
-- include removed
-- include rankings
local article, listed = ARGV[1], ARGV[2]

local present, scale = readRow(articles, article)
if present then return {'unchanged'} end
local row, _, text = parseRemoved(redis.call('HGET', removed, article))
if not row then return {'unknown'} end
local owner = redis.call('HGET', links, row.linkHash)
if owner and owner ~= article then return {'duplicate', owner} end

show(article)
indexSubject(article)
if not row.closed then planVoting(row.seconds) end
row.listed = listed
redis.call('HSET', articles, article, formatRow(row))
redis.call('HSET', texts, article, text)
redis.call('HDEL', removed, article)
redis.call('HSET', links, row.linkHash, article)
if not row.closed then redis.call('SADD', open, article) end
place(rankings, article, row, scale)
return {'restored'}
