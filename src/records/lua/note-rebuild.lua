-- Notes how far a rebuild has read a channel, if the caller still holds the lease: after Redis was
-- emptied in the middle, a note would make a successor skip what was lost.
--
-- KEYS[1]  lease     hash       see take-lease.lua
-- KEYS[2]  rebuild   hash       the progress
-- ARGV[1]  token     string     whose lease it must be
-- ARGV[2]  channel   snowflake
-- ARGV[3]  cursor    string     the oldest message read, or 'end'
-- ARGV[4]  articles  integer    how many were found on this page
-- Returns {'noted'}
--         {'lost'}
local lease, rebuild = KEYS[1], KEYS[2]
local token, channel, cursor, articles = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end

redis.call('HSET', rebuild, channel, cursor)
redis.call('HINCRBY', rebuild, 'articles', articles)
return {'noted'}
