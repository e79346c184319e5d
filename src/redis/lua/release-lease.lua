-- Ends a lease that the caller still holds, and writes the outcome of the work in the same step.
--
-- KEYS[1]  lease   hash    see take-lease.lua
-- KEYS[2]  record  hash    where the outcome is written
-- ARGV[1]  token   string  the caller's
-- ARGV[2]  as      string  'open': the next holder continues from the notes; 'anew': the notes are dropped;
--                          'done': no process can take the lease again
-- ARGV[3..] outcome string fields of the record, each followed by its value
-- Returns {'released'}
--         {'lost'}  another process took it, the work is done, or Redis was emptied
local lease, record = KEYS[1], KEYS[2]
local token, as = ARGV[1], ARGV[2]
local outcome = {unpack(ARGV, 3)}

if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end

if #outcome > 0 then redis.call('HSET', record, unpack(outcome)) end
if as == 'open' then
  redis.call('HDEL', lease, 'token', 'until')
  return {'released'}
end
local sweep = redis.call('TTL', lease)
redis.call('DEL', lease)
if as == 'done' then
  redis.call('HSET', lease, 'done', '1')
  redis.call('EXPIRE', lease, sweep)
end
return {'released'}
