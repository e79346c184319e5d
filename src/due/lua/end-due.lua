-- Ends the work of a row that the caller still holds: writes its outcome and when it is due next, in one step.
-- What was planned meanwhile stays planned. A row that was taken out meanwhile, or has a new time, stays so.
--
-- KEYS[1]  due       sorted set  see take-due.lua
-- KEYS[2]  lease     hash        see take-due.lua
-- KEYS[3]  record    hash        where the outcome is written
-- KEYS[4]  troubles  hash        row -> what hinders it, JSON; only of rows that are due
-- ARGV[1]  row       string
-- ARGV[2]  token     string      the caller's
-- ARGV[3]  next      integer     ms; '': it is done
-- ARGV[4]  notes     string      'keep': the next holder gets them; 'drop': only those that are for it
-- ARGV[5]  trouble   string      JSON; '': nothing hinders it
-- ARGV[6..] outcome  string      fields of the record, each followed by its value
-- Returns {'ended', next}  when the row is due now, ms; '': it is gone
--         {'lost'}
local due, lease, record, troubles = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local row, token, next, notes, trouble = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local outcome = {unpack(ARGV, 6)}

if redis.call('HGET', lease, 'token') ~= token then return {'lost'} end

for _, field in ipairs(redis.call('HKEYS', lease)) do
  local isOwn = field == 'token' or field == 'until'
  if isOwn or (notes == 'drop' and string.sub(field, 1, 5) ~= 'next:') then redis.call('HDEL', lease, field) end
end
if #outcome > 0 then redis.call('HSET', record, unpack(outcome)) end
local isStanding = redis.call('ZREM', due, 'held:' .. row) == 1
if isStanding and next ~= '' then redis.call('ZADD', due, 'LT', next, row) end
local at = redis.call('ZSCORE', due, row)
-- A row that is gone, such as that of a deleted article, is hindered by nothing.
if at and trouble ~= '' then redis.call('HSET', troubles, row, trouble) else redis.call('HDEL', troubles, row) end
return {'ended', at or ''}
