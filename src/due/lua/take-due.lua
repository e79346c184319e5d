-- Takes a row that is due, unless another process holds it. It is held until it is ended, or its lease ends.
--
-- KEYS[1]  due       sorted set  row by when it is due, ms; held:<row> by when its lease ends. So what is planned while
--                                it is held stands beside that
-- KEYS[2]  lease     hash        the holder's token and until (ms); notes of the work; next:<note> is for whoever takes
--                                it next
-- KEYS[3]  troubles  hash        row -> what hinders it, JSON
-- ARGV[1]  row       string
-- ARGV[2]  token     string      the caller's, which no other process has
-- ARGV[3]  now       integer     ms
-- ARGV[4]  leaseEnd  integer     ms
-- ARGV[5]  sweep     integer     seconds until the lease's key expires
-- Returns {'taken', trouble, {field, value, …}}  what hindered it, or ''; the notes of who held it before, and for it
--         {'later', at}   it is not due, or is held until then
--         {'none'}        there is no such row
local due, lease, troubles = KEYS[1], KEYS[2], KEYS[3]
local row, token, now, leaseEnd, sweep = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local held = 'held:' .. row

local planned, ends = redis.call('ZSCORE', due, row), redis.call('ZSCORE', due, held)
if not planned and not ends then return {'none'} end
local at = math.min(tonumber(planned or 'inf'), tonumber(ends or 'inf'))
if at > now then return {'later', math.ceil(at)} end
if redis.call('TYPE', lease).ok ~= 'hash' then redis.call('DEL', lease) end
local before = redis.call('HMGET', lease, 'token', 'until')
local isOther = before[1] and before[1] ~= token
local heldUntil = isOther and tonumber(before[2]) or 0
if heldUntil > now then return {'later', heldUntil} end

for _, field in ipairs(redis.call('HKEYS', lease)) do
  if string.sub(field, 1, 5) == 'next:' then
    redis.call('HSET', lease, string.sub(field, 6), redis.call('HGET', lease, field))
    redis.call('HDEL', lease, field)
  end
end
local notes = redis.call('HGETALL', lease)
if planned and tonumber(planned) <= now then redis.call('ZREM', due, row) end
redis.call('ZADD', due, leaseEnd, held)
redis.call('HSET', lease, 'token', token, 'until', leaseEnd)
redis.call('EXPIRE', lease, sweep)
return {'taken', redis.call('HGET', troubles, row) or '', notes}
