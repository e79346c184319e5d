-- Adds one batch of articles to a front order that is being filled.
--
-- KEYS[1]  articles  hash        rows, and the interesting mark
-- KEYS[2]  filling   sorted set  the front order that is being filled
-- KEYS[3]  loudness  hash        channel -> the weight factor of a vote there
-- ARGV[1]  size      the number of articles that the front order keeps
-- ARGV[2..] articles snowflake and post time in seconds, alternating
-- Returns {'filled'}
-- include row
-- include front
local articles, filling, loudness = KEYS[1], KEYS[2], KEYS[3]
local size, batch = tonumber(ARGV[1]), { unpack(ARGV, 2) }

local ids = {}
for n = 1, #batch, 2 do ids[#ids + 1] = batch[n] end
local rows, mark = readRows(articles, ids)
for n, article in ipairs(ids) do
  enterFront(filling, loudness, article, batch[n * 2], mark, rows[article])
end
redis.call('ZREMRANGEBYRANK', filling, 0, -1 - size)
return {'filled'}
