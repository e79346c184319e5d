-- The net votes of the articles posted from a time on, oldest first, a bounded number of them.
--
-- KEYS[1]  times     sorted set  a ranking by post time, of the guild or of a group
-- KEYS[2]  articles  hash        rows
-- ARGV[1]  from      seconds
-- ARGV[2]  offset    how many to skip
-- ARGV[3]  limit     how many to read
-- Returns {'tallies', article, net, article, net, …}
local times, articles = KEYS[1], KEYS[2]
local from, offset, limit = ARGV[1], ARGV[2], ARGV[3]

local ids = redis.call('ZRANGEBYSCORE', times, from, '+inf', 'LIMIT', offset, limit)
local tallies = {'tallies'}
if #ids == 0 then return tallies end
local rows = redis.call('HMGET', articles, unpack(ids))
for i, row in ipairs(rows) do
  -- ipairs goes on over false: a missing row is false, not nil.
  if row then
    local up, down = struct.unpack('>I4I4', row)
    tallies[#tallies + 1] = ids[i]
    tallies[#tallies + 1] = up - down
  end
end
return tallies
