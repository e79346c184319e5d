-- Writes what became of a posting, by who holds its lease, and ends the lease.
--
-- KEYS[1]  claim    hash    see claim-posting.lua
-- KEYS[2]  runs     hash    digest name to its run, JSON
-- ARGV[1]  token    string  whose lease it must be
-- ARGV[2]  digest   string  its name
-- ARGV[3]  run      string  JSON
-- ARGV[4]  outcome  string  'done'; 'open': to be tried again as planned; 'anew': nothing was sent, to be planned anew
-- Returns {'recorded'}
--         {'lost'}  somebody else took over, or it is done
local claim, runs = KEYS[1], KEYS[2]
local token, digest, run, outcome = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

if redis.call('HGET', claim, 'token') ~= token then return {'lost'} end

redis.call('HSET', runs, digest, run)
redis.call('HDEL', claim, 'token', 'until')
if outcome == 'done' then redis.call('HSET', claim, 'done', '1') end
if outcome ~= 'open' then redis.call('HDEL', claim, 'plan', 'tried') end
return {'recorded'}
