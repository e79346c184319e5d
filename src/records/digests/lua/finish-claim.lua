-- Ends a posting for good, by who holds its lease, where nothing else is to be recorded of it.
--
-- KEYS[1]  claim    hash    see claim-posting.lua
-- ARGV[1]  token    string  whose lease it must be
-- ARGV[2]  outcome  string  'done'; 'anew': nothing was sent, to be planned anew
-- Returns {'finished'}
--         {'lost'}  somebody else took over, or it is done
local claim = KEYS[1]
local token, outcome = ARGV[1], ARGV[2]

if redis.call('HGET', claim, 'token') ~= token then return {'lost'} end

redis.call('HDEL', claim, 'token', 'until', 'plan', 'tried')
if outcome == 'done' then redis.call('HSET', claim, 'done', '1') end
return {'finished'}
