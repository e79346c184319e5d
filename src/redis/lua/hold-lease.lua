-- Prolongs a lease that the caller still holds. One that ran out but that nobody took is still the
-- caller's; one that is gone is not, since what it guarded may be gone as well.
--
-- KEYS[1]  lease  hash     see take-lease.lua
-- ARGV[1]  token  string   whose lease it must be
-- ARGV[2]  until  integer  ms: the lease's new end
-- Returns {'held'}
--         {'lost'}
local lease = KEYS[1]
local token, leaseEnd = ARGV[1], ARGV[2]

if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end

redis.call('HSET', lease, 'until', leaseEnd)
return {'held'}
