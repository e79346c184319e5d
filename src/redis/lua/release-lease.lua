-- Gives a lease back, so that another process can begin at once.
--
-- KEYS[1]  lease  hash    see take-lease.lua
-- ARGV[1]  token  string  whose lease it must be
-- Returns {'released'}
--         {'lost'}
local lease = KEYS[1]
local token = ARGV[1]

if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end

redis.call('DEL', lease)
return {'released'}
