-- Deletes an article and all its data. Its link can be posted again.
--
-- KEYS[1]  articles     hash        rows
-- KEYS[2]  links        hash        digest of the canonical link -> article
-- KEYS[3]  open         set         articles whose voting is not closed
-- KEYS[4]  interesting  sorted set
-- KEYS[5]  scores       sorted set  the guild's ranking by score
-- KEYS[6]  times        sorted set  the guild's ranking by post time
-- KEYS[7]  votes        sorted set  the guild's closed articles by net votes
-- KEYS[8]  voters       set         the article's voters
-- KEYS[9]  older        set         its voters with both reactions
-- KEYS[10] removed      hash        rows of articles that a moderator or the poster removed
-- KEYS[11] texts        hash        article -> link, title and comment
-- KEYS[12] previews     hash        article -> picture and description
-- KEYS[13] comments     hash        article -> messages in its discussion
-- ARGV[1]  article      snowflake
-- Also touches: the same rankings of the article's groups, each key followed by :<channel>.
-- Returns {'deleted'}
--         {'unknown'}  no such article
-- include row
-- include places
local articles, links, open = KEYS[1], KEYS[2], KEYS[3]
local rankings = { interesting = KEYS[4], scores = KEYS[5], times = KEYS[6], votes = KEYS[7] }
local voters, older, removed = KEYS[8], KEYS[9], KEYS[10]
local texts, previews, comments = KEYS[11], KEYS[12], KEYS[13]
local article = ARGV[1]

-- These are deleted without a row as well: a removed article has them, and one whose row was lost.
redis.call('HDEL', previews, article)
redis.call('HDEL', comments, article)
redis.call('UNLINK', voters, older)
local wasRemoved = redis.call('HDEL', removed, article) == 1
local row = parseRow(redis.call('HGET', articles, article))
if not row then return {wasRemoved and 'deleted' or 'unknown'} end

redis.call('HDEL', articles, article)
redis.call('HDEL', texts, article)
redis.call('SREM', open, article)
displace(rankings, article, row)
if redis.call('HGET', links, row.digest) == article then redis.call('HDEL', links, row.digest) end
return {'deleted'}
