-- Deletes an article and all its data. Its link can be posted again.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article      snowflake
-- Returns {'deleted'}
--         {'unknown'}  no such article
-- include guild-keys
-- include row
-- include rankings
-- include subjects
local article = ARGV[1]

local row = parseRow(redis.call('HGET', articles, article))
-- The row last: if Redis refuses one of these, the row still says where the article stands.
if row then
  displace(rankings, article, row)
  if redis.call('HGET', links, row.linkHash) == article then redis.call('HDEL', links, row.linkHash) end
end
-- These are deleted without a row as well: a removed article has them, and one whose row was lost.
forgetSubject(subjects, subjectWords, article)
redis.call('ZREM', due, 'show:' .. article, 'held:show:' .. article, 'earlier:' .. article)
redis.call('HDEL', troubles, 'show:' .. article)
redis.call('HDEL', texts, article)
redis.call('HDEL', previews, article)
redis.call('HDEL', replies, article)
redis.call('HDEL', outcomes, article, article .. ':led', article .. ':first', article .. ':told', article .. ':led-on')
redis.call('SREM', open, article)
redis.call('UNLINK', voterSets .. article, olderSets .. article)
local wasRemoved = redis.call('HDEL', removed, article) == 1
if not row then return {wasRemoved and 'deleted' or 'unknown'} end
redis.call('HDEL', articles, article)
return {'deleted'}
