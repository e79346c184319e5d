-- Removes an article from all rankings, for a moderator or the poster. Its link can be posted again.
-- Its row and its voters are kept, so that the removal can be undone.
--
-- KEYS[1]  articles     hash        rows
-- KEYS[2]  links        hash        digest of the canonical link -> article
-- KEYS[3]  open         set         articles whose voting is not closed
-- KEYS[4]  interesting  sorted set
-- KEYS[5]  scores       sorted set  the guild's ranking by score
-- KEYS[6]  times        sorted set  the guild's ranking by post time
-- KEYS[7]  votes        sorted set  the guild's closed articles by net votes
-- KEYS[8]  removed      hash        article -> a removed article (see `removed.include.lua`)
-- KEYS[9]  texts        hash        article -> link, title and comment
-- ARGV[1]  article      snowflake
-- ARGV[2]  now          milliseconds
-- Also touches: the same rankings of the article's groups, each key followed by :<channel>.
-- Returns {'removed'}
--         {'unchanged'}  it was removed before
--         {'unknown'}    no such article
-- include row
-- include removed
-- include places
local articles, links, open = KEYS[1], KEYS[2], KEYS[3]
local rankings = { interesting = KEYS[4], scores = KEYS[5], times = KEYS[6], votes = KEYS[7] }
local removed, texts = KEYS[8], KEYS[9]
local article, now = ARGV[1], ARGV[2]

local row = parseRow(redis.call('HGET', articles, article))
if not row then
  return {redis.call('HEXISTS', removed, article) == 1 and 'unchanged' or 'unknown'}
end

-- Damage can leave a row without its text.
local text = redis.call('HGET', texts, article) or ''
redis.call('HSET', removed, article, formatRemoved(row, now, text))
redis.call('HDEL', articles, article)
redis.call('HDEL', texts, article)
redis.call('SREM', open, article)
displace(rankings, article, row)
if redis.call('HGET', links, row.digest) == article then redis.call('HDEL', links, row.digest) end
return {'removed'}
