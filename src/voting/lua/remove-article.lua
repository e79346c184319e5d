-- Removes an article with everything that belongs to it. Its link can be posted again.
--
-- KEYS[1]  articles     hash        rows
-- KEYS[2]  links        hash        digest of the canonical link -> article
-- KEYS[3]  open         sorted set  articles whose voting is not closed
-- KEYS[4]  scores       sorted set  the guild's ranking by score
-- KEYS[5]  times        sorted set  the guild's ranking by post time
-- KEYS[6]  interesting  sorted set
-- KEYS[7]  voters       set         the article's voters
-- KEYS[8]  older        set         its voters who show both reactions
-- ARGV[1]  article      snowflake
-- Also touches: the rankings of the article's groups, <KEYS[4]>:<channel> and <KEYS[5]>:<channel>.
-- Returns {'removed'}
--         {'unknown'}  no such article
local articles, links, open, scores, times = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local interesting, voters, older = KEYS[6], KEYS[7], KEYS[8]
local article = ARGV[1]

local row = redis.call('HGET', articles, article)
if not row then return {'unknown'} end
local groups, digest = string.match(row, '^%l%l(%S+) %d+ (%S*)', 9)

redis.call('HDEL', articles, article)
redis.call('ZREM', open, article)
redis.call('ZREM', scores, article)
redis.call('ZREM', times, article)
redis.call('ZREM', interesting, article)
redis.call('UNLINK', voters, older)
for group in string.gmatch(groups, '%d+') do
  redis.call('ZREM', scores .. ':' .. group, article)
  redis.call('ZREM', times .. ':' .. group, article)
end
if redis.call('HGET', links, digest) == article then redis.call('HDEL', links, digest) end
return {'removed'}
