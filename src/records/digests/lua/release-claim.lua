-- Gives a lease back without having posted; what was planned and tried stays known.
--
-- KEYS[1]  claim  hash    see claim-posting.lua
-- ARGV[1]  token  string  whose lease it must be
-- Returns {'released'}
--         {'lost'}  somebody else took over, or it is done
local claim = KEYS[1]
local token = ARGV[1]

if redis.call('HGET', claim, 'token') ~= token then return {'lost'} end

redis.call('HDEL', claim, 'token', 'until')
return {'released'}
