-- Leaves a mark of a process and the time in the data, and says what stood there.
--
-- KEYS[1]  dataSet    hash     id of the data set; seen, when a process last looked, ms; process:… -> the same of each
-- ARGV[1]  id         string   for data that has none
-- ARGV[2]  process    string   the caller's field
-- ARGV[3]  now        integer  ms
-- Returns {field, value, …}    as it was before, but with an id
local dataSet = KEYS[1]
local id, process, now = ARGV[1], ARGV[2], ARGV[3]

redis.call('HSETNX', dataSet, 'id', id)
local before = redis.call('HGETALL', dataSet)
redis.call('HSET', dataSet, process, now)
-- A process whose clock is behind does not set the mark back, which others would take for older data.
local seen = tonumber(redis.call('HGET', dataSet, 'seen') or '')
if not seen or seen < tonumber(now) then redis.call('HSET', dataSet, 'seen', now) end
return before
