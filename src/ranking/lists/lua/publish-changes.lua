-- Tells the other processes that articles of a guild changed, and raises the guild's version by one.
-- Updates the places of the changed articles in the front order if that exists.
--
-- KEYS[1]  articles     hash        rows, the interesting mark, the version
-- KEYS[2]  changes      channel     of the published messages; a message is the version
-- KEYS[3]  front        sorted set  the front order; may be absent
-- KEYS[4]  filling      sorted set  a front order that is being filled; may be absent
-- KEYS[5]  loudness     hash        channel -> the weight factor of a vote there in the front order
-- ARGV[1]  size         the number of articles that the front order keeps
-- ARGV[2..] articles    snowflake and post time in seconds, alternating
-- Returns {'published', version}
-- include row
-- include front
local articles, changes, front, filling, loudness = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local size, changed = tonumber(ARGV[1]), { unpack(ARGV, 2) }

local ids = {}
for n = 1, #changed, 2 do ids[#ids + 1] = changed[n] end
for _, order in ipairs({front, filling}) do
  if #ids > 0 and redis.call('EXISTS', order) == 1 then
    local rows, mark = readRows(articles, ids)
    for n, article in ipairs(ids) do
      enterFront(order, loudness, article, changed[n * 2], mark, rows[article])
    end
    redis.call('ZREMRANGEBYRANK', order, 0, -1 - size)
  end
end
local version = redis.call('HINCRBY', articles, 'version', 1)
redis.call('PUBLISH', changes, version)
return {'published', version}
