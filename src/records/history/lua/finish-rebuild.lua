-- Finishes a rebuild if the caller still holds its lease: writes since when the ranking is complete, and
-- deletes the progress and the lease.
--
-- KEYS[1]  lease     hash     see take-lease.lua
-- KEYS[2]  rebuild   hash     the progress
-- KEYS[3]  complete  string   since when the ranking is complete (ms); an existing time stays
-- ARGV[1]  token     string   the caller's
-- ARGV[2]  since     integer  when the rebuild was begun, ms
-- Returns {'finished'}
--         {'lost'}  another process has the lease, or Redis was emptied
local lease, rebuild, complete = KEYS[1], KEYS[2], KEYS[3]
local token, since = ARGV[1], ARGV[2]

if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end
if redis.call('EXISTS', rebuild) == 0 then return {'lost'} end

redis.call('SET', complete, since, 'NX')
redis.call('DEL', rebuild, lease)
return {'finished'}
