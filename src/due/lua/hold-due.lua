-- Renews the lease of a row that the caller still holds, and writes a note in the same step.
--
-- KEYS[1]  due       sorted set  see take-due.lua
-- KEYS[2]  lease     hash        see take-due.lua
-- KEYS[3]  record    hash        where the note is written: the lease itself or another hash of the guild
-- ARGV[1]  row       string
-- ARGV[2]  token     string      the caller's
-- ARGV[3]  leaseEnd  integer     ms
-- ARGV[4..] note     string      fields, each followed by its value
-- Returns {'held'}
--         {'lost'}  another process took it, or Redis was emptied
local due, lease, record = KEYS[1], KEYS[2], KEYS[3]
local row, token, leaseEnd = ARGV[1], ARGV[2], ARGV[3]
local note = {unpack(ARGV, 4)}

if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end

redis.call('HSET', lease, 'until', leaseEnd)
-- What was taken out meanwhile, or has a new time, stays so.
redis.call('ZADD', due, 'XX', leaseEnd, 'held:' .. row)
if #note > 0 then redis.call('HSET', record, unpack(note)) end
return {'held'}
