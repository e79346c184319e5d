-- Ends a lease that the caller still holds and, with it, writes what became of the work.
--
-- KEYS[1]  lease   hash    see take-lease.lua
-- KEYS[2]  record  hash    where the outcome is written
-- ARGV[1]  token   string  whose lease it must be
-- ARGV[2]  left    string  the work is left 'open': a successor goes on from the notes; 'anew': it begins anew; 'done': nobody takes it again
-- ARGV[3..] outcome string a field of the record and its value, by turns
-- Returns {'released'}
--         {'lost'}  another process took it, the work is done, or Redis was emptied
local lease, record = KEYS[1], KEYS[2]
local token, left = ARGV[1], ARGV[2]
local outcome = {unpack(ARGV, 3)}

if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end

if #outcome > 0 then redis.call('HSET', record, unpack(outcome)) end
if left == 'open' then
  redis.call('HDEL', lease, 'token', 'until')
  return {'released'}
end
local sweep = redis.call('TTL', lease)
redis.call('DEL', lease)
if left == 'done' then
  redis.call('HSET', lease, 'done', '1')
  redis.call('EXPIRE', lease, sweep)
end
return {'released'}
