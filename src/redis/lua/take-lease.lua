-- Takes the lease of some work, unless another process holds it or the work is done.
-- The caller passes the time, so that tests and the sandbox own the clock.
--
-- KEYS[1]  lease     hash     the holder's token and until; done; the holders' notes of their progress
-- ARGV[1]  token     string   the caller's, which no other has
-- ARGV[2]  now       integer  ms
-- ARGV[3]  leaseEnd  integer  ms: the end of the lease
-- ARGV[4]  sweep     integer  seconds until the key expires
-- Returns {'taken', {field, value, …}}  the hash
--         {'held', until}
--         {'done'}
local lease = KEYS[1]
local token, now, leaseEnd, sweep = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])

-- A damaged lease would end its work for good.
if redis.call('TYPE', lease).ok ~= 'hash' then redis.call('DEL', lease) end
local found = redis.call('HMGET', lease, 'done', 'token', 'until')
local done, holder, heldUntil = found[1], found[2], tonumber(found[3] or 0) or 0
if done then return {'done'} end
if holder and heldUntil > now then return {'held', heldUntil} end

redis.call('HSET', lease, 'token', token, 'until', leaseEnd)
redis.call('EXPIRE', lease, sweep)
return {'taken', redis.call('HGETALL', lease)}
