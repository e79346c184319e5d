-- Notes how far an import has read, if the caller still holds the lease and the import is still the
-- one that it is at. Where it stands and what it has counted are noted in one, so that a successor
-- counts nothing twice.
--
-- KEYS[1]  lease   hash     see take-lease.lua
-- KEYS[2]  import  hash     the import
-- ARGV[1]  token   string   whose lease it must be
-- ARGV[2]  run     string   which import it must be
-- ARGV[3]  place   string   channel or thread; '' where only the counts are noted
-- ARGV[4]  cursor  string   the newest message read, or 'end'
-- ARGV[5]  counts  JSON     what was found so far
-- ARGV[6]  now     integer  ms
-- Returns {'noted', phase}  phase: what the import is in, since somebody may have ended it
--         {'lost'}
local lease, import = KEYS[1], KEYS[2]
local token, run, place, cursor, counts, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end
local found = redis.call('HMGET', import, 'run', 'phase')
if found[1] ~= run then return {'lost'} end

redis.call('HSET', import, 'counts', counts, 'at', now)
if place ~= '' then redis.call('HSET', import, place, cursor) end
return {'noted', found[2]}
