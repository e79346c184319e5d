-- The net votes of the articles posted at or after a time, oldest first, at most `limit`.
--
-- KEYS[1]  times     sorted set  a ranking by post time, of the guild or of a group
-- KEYS[2]  articles  hash        rows
-- ARGV[1]  from      seconds
-- ARGV[2]  offset    number of articles to skip
-- ARGV[3]  limit     number of articles to read
-- Returns {'tallies', article, net, article, net, …}
-- include row
local times, articles = KEYS[1], KEYS[2]
local from, offset, limit = ARGV[1], ARGV[2], ARGV[3]

local ids = redis.call('ZRANGEBYSCORE', times, from, '+inf', 'LIMIT', offset, limit)
local tallies = {'tallies'}
if #ids == 0 then return tallies end
for n, text in ipairs(redis.call('HMGET', articles, unpack(ids))) do
  -- A missing row is false, not nil, so ipairs does not stop at it.
  local row = parseRow(text)
  if row then
    tallies[#tallies + 1], tallies[#tallies + 2] = ids[n], row.up - row.down
  end
end
return tallies
