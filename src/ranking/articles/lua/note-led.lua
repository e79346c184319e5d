-- Notes that an edition leads with an article, and has its thread told.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article  snowflake
-- ARGV[2]  edition  `<name>:<date>`
-- Returns {'noted'}
--         {'unchanged'}  it was noted before
--         {'unknown'}    no such article
-- include guild-keys
local article, edition = ARGV[1], ARGV[2]

if redis.call('HEXISTS', articles, article) == 0 then return {'unknown'} end
local field = article .. ':led'
local before = redis.call('HGET', outcomes, field)
if string.find(' ' .. (before or '') .. ' ', ' ' .. edition .. ' ', 1, true) then return {'unchanged'} end
redis.call('HSET', outcomes, field, before and before .. ' ' .. edition or edition)
redis.call('ZADD', due, 0, 'tell:' .. article)
return {'noted'}
