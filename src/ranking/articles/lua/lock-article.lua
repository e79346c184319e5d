-- Stops the voting on an article, or opens it again. Existing votes stay.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article   snowflake
-- ARGV[2]  state     'k' to stop the voting, 'o' to open it
-- Returns {'changed'}
--         {'unchanged'}
--         {'unknown'}  no such article
--         {'closed'}   its votes are frozen
-- include guild-keys
-- include row
local article, state = ARGV[1], ARGV[2]

local row = parseRow(redis.call('HGET', articles, article))
if not row then return {'unknown'} end
if row.closed then return {'closed'} end
if row.state == state then return {'unchanged'} end
show(article)
row.state = state
redis.call('HSET', articles, article, formatRow(row))
return {'changed'}
