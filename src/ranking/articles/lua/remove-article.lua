-- Removes an article from all rankings, for a moderator or the poster. Its link can be posted again.
-- Its row and its voters are stored, so that the removal can be undone.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article      snowflake
-- ARGV[2]  removal      its time, ms; and a p if the poster removes it
-- Returns {'removed'}
--         {'unchanged'}  it was removed before
--         {'unknown'}    no such article
-- include guild-keys
-- include row
-- include removed
-- include rankings
-- include subjects
local article, removal = ARGV[1], ARGV[2]

local row = parseRow(redis.call('HGET', articles, article))
if not row then
  return {redis.call('HEXISTS', removed, article) == 1 and 'unchanged' or 'unknown'}
end

-- Damage can leave a row without its text.
local text = redis.call('HGET', texts, article) or ''
show(article)
-- The row last: if Redis refuses one of these, the row still says where the article stands.
displace(rankings, article, row)
redis.call('SREM', open, article)
if redis.call('HGET', links, row.linkHash) == article then redis.call('HDEL', links, row.linkHash) end
forgetSubject(subjects, subjectWords, article)
redis.call('HSET', removed, article, formatRemoved(row, removal, text))
redis.call('HDEL', texts, article)
redis.call('HDEL', articles, article)
return {'removed'}
