-- Prolongs a lease that the caller still holds and, with it, notes how far the posting is.
-- A lease that ran out but that nobody took is still the caller's.
--
-- KEYS[1]  claim  hash     see claim-posting.lua
-- ARGV[1]  token  string   whose lease it must be
-- ARGV[2]  until  integer  ms: the lease's new end
-- ARGV[3]  tried  integer  the page that is about to be sent, or 0
-- ARGV[4]  plan   string   the messages to send, kept if nobody kept any before, or ''
-- Returns {'held'}
--         {'lost'}  somebody else took over, or it is done
local claim = KEYS[1]
local token, leaseEnd, tried, plan = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]

if redis.call('HGET', claim, 'token') ~= token then return {'lost'} end

redis.call('HSET', claim, 'until', leaseEnd)
if plan ~= '' then redis.call('HSETNX', claim, 'plan', plan) end
if tried > 0 then redis.call('HSET', claim, 'tried', tried) end
return {'held'}
