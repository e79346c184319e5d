-- One batch of filling the front order.
--
-- KEYS[1]  articles  hash        rows, and the interesting mark
-- KEYS[2]  filling   sorted set  the front order that is being filled
-- KEYS[3]  loudness  hash        channel -> what a vote weighs there
-- ARGV[1]  size      how many articles the front order keeps
-- ARGV[2..] articles snowflake and post time in seconds, alternating
-- Returns {'filled'}
-- include front
local articles, filling, loudness = KEYS[1], KEYS[2], KEYS[3]
local size, batch = tonumber(ARGV[1]), { unpack(ARGV, 2) }

local fields = {'mark'}
for i = 1, #batch, 2 do fields[#fields + 1] = batch[i] end
local rows = redis.call('HMGET', articles, unpack(fields))
local mark = tonumber(rows[1]) or 200
for i = 2, #fields do
  enterFront(filling, loudness, fields[i], tonumber(batch[2 * i - 2]), mark, rows[i])
end
redis.call('ZREMRANGEBYRANK', filling, 0, -1 - size)
return {'filled'}
