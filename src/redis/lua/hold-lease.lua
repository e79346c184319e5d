-- Renews a lease that the caller still holds, and writes a note of the progress in the same step.
-- A lease that ran out is still the caller's while no other process has taken it.
--
-- KEYS[1]  lease     hash     see take-lease.lua
-- KEYS[2]  record    hash     where the note is written: the lease itself or another hash
-- ARGV[1]  token     string   the caller's
-- ARGV[2]  leaseEnd  integer  ms: the lease's new end
-- ARGV[3..] note   string   fields, each followed by its value
-- Returns {'held'}
--         {'lost'}  another process took it, the work is done, or Redis was emptied
local lease, record = KEYS[1], KEYS[2]
local token, leaseEnd = ARGV[1], ARGV[2]
local note = {unpack(ARGV, 3)}

if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end

redis.call('HSET', lease, 'until', leaseEnd)
if #note > 0 then redis.call('HSET', record, unpack(note)) end
return {'held'}
