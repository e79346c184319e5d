-- Prolongs a lease that the caller still holds and, with it, notes how far the work is.
-- A lease that ran out but that nobody took is still the caller's.
--
-- KEYS[1]  lease     hash     see take-lease.lua
-- KEYS[2]  record    hash     where it is noted: the lease itself, or what describes the work
-- ARGV[1]  token     string   whose lease it must be
-- ARGV[2]  leaseEnd  integer  ms: the lease's new end
-- ARGV[3..] note   string   a field and its value, by turns
-- Returns {'held'}
--         {'lost'}  another process took it, the work is done, or Redis was emptied
local lease, record = KEYS[1], KEYS[2]
local token, leaseEnd = ARGV[1], ARGV[2]
local note = {unpack(ARGV, 3)}

if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end

redis.call('HSET', lease, 'until', leaseEnd)
if #note > 0 then redis.call('HSET', record, unpack(note)) end
return {'held'}
