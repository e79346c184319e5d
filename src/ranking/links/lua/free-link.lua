-- Allows a link to be posted again while its article stays.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article  the article that had it
-- ARGV[2]  digest   of the link name
-- Returns {'freed'}
--         {'unchanged'}  the link belongs to another article or to none
-- include guild-keys
local article, digest = ARGV[1], ARGV[2]

if redis.call('HGET', links, digest) ~= article then return {'unchanged'} end
redis.call('HDEL', links, digest)
return {'freed'}
