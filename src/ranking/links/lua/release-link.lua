-- Releases a link name that somebody holds: an interaction that reserved it, or the article that has it.
--
-- KEYS[1]  holders   hash  link hash -> the holder's id, and the time of a reservation after a space
-- ARGV[1]  linkHash  of the link name
-- ARGV[2]  holder    snowflake
-- Returns {'released'}
--         {'unchanged'}  the link name has another holder or none
local holders = KEYS[1]
local linkHash, holder = ARGV[1], ARGV[2]

local held = redis.call('HGET', holders, linkHash)
if not held or string.match(held, '^%d+') ~= holder then return {'unchanged'} end
redis.call('HDEL', holders, linkHash)
return {'released'}
