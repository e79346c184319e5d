-- Takes the lease of some work on a guild, unless another process holds it.
-- Time is the caller's, so that tests and the sandbox own the clock.
--
-- KEYS[1]  lease  hash     token and until of who is at it
-- ARGV[1]  token  string   whose lease it becomes
-- ARGV[2]  now    integer  ms
-- ARGV[3]  until  integer  ms: the end of the lease
-- ARGV[4]  sweep  integer  seconds after which the key may go
-- Returns {'taken'}
--         {'held', until}
local lease = KEYS[1]
local token, now, leaseEnd, sweep = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])

local found = redis.call('HMGET', lease, 'token', 'until')
local holder, heldUntil = found[1], tonumber(found[2] or 0)
if holder and holder ~= token and heldUntil > now then return {'held', heldUntil} end

redis.call('HSET', lease, 'token', token, 'until', leaseEnd)
redis.call('EXPIRE', lease, sweep)
return {'taken'}
