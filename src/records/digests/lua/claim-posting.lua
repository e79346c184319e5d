-- Takes the lease of one posting (a digest of a date, word of an article), unless somebody else holds it or it is done.
-- Time is the caller's, so that tests and the sandbox own the clock.
--
-- KEYS[1]  claim  hash    token and until of who is at it; claims, plan, tried, done
-- ARGV[1]  token  string  whose lease it becomes; taking it again prolongs it
-- ARGV[2]  now    integer ms
-- ARGV[3]  until  integer ms: the end of the lease
-- ARGV[4]  sweep  integer seconds after which the key may go
-- Returns {'claimed', claims, tried, plan}  plan is '' where nobody made one; tried is the last page that may have been sent
--         {'held', until}
--         {'done'}
local claim = KEYS[1]
local token, now, leaseEnd, sweep = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])

local found = redis.call('HMGET', claim, 'done', 'token', 'until', 'tried', 'plan')
local done, holder, heldUntil = found[1], found[2], tonumber(found[3] or 0)
if done then return {'done'} end
if holder and holder ~= token and heldUntil > now then return {'held', heldUntil} end

redis.call('HSET', claim, 'token', token, 'until', leaseEnd)
local claims = redis.call('HINCRBY', claim, 'claims', 1)
redis.call('EXPIRE', claim, sweep)
return {'claimed', claims, tonumber(found[4] or 0), found[5] or ''}
