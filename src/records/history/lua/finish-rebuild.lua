-- Writes the guild's birth mark and forgets the rebuild's progress, if the caller still holds the
-- lease: after Redis was emptied in the middle, or another process took over, nothing is finished.
--
-- KEYS[1]  lease    hash     see take-lease.lua
-- KEYS[2]  rebuild  hash     the progress
-- KEYS[3]  born     string   the birth mark; one that is there stays
-- ARGV[1]  token    string   whose lease it must be
-- ARGV[2]  since    integer  when the rebuild was begun, ms
-- Returns {'finished'}
--         {'lost'}
local lease, rebuild, born = KEYS[1], KEYS[2], KEYS[3]
local token, since = ARGV[1], ARGV[2]

if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end
if redis.call('EXISTS', rebuild) == 0 then return {'lost'} end

redis.call('SET', born, since, 'NX')
redis.call('DEL', rebuild, lease)
return {'finished'}
