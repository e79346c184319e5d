-- Lists an article in the guild or hides it, after its home channel's visibility changed.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  scores       sorted set  the guild's ranking by score
-- KEYS[3]  times        sorted set  the guild's ranking by post time
-- KEYS[4]  interesting  sorted set
-- ARGV[1]  article      snowflake
-- ARGV[2]  seconds      the article's post time
-- ARGV[3]  listed       'l' for listed, 'h' for hidden
-- ARGV[4]  channel      the home channel that changed; articles at home elsewhere are left alone
-- Also touches: the rankings of the article's groups, <KEYS[2]>:<channel> and <KEYS[3]>:<channel>.
-- Returns {'changed'}
--         {'unchanged'}
--         {'unknown'}  no such article
local articles, scores, times, interesting = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local article, seconds, listed, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]

local found = redis.call('HMGET', articles, article, 'mark')
local row, mark = found[1], tonumber(found[2] or 200)
if not row then return {'unknown'} end
local up, down, at = struct.unpack('>I4I4', row)
local before, home, groups = string.match(row, '^%l(%l)(%d+)(%S*)', at)
if before == listed or home ~= channel then return {'unchanged'} end

local score = string.format('%.17g', seconds + 86400 / mark * (up - down))
redis.call('HSET', articles, article, string.sub(row, 1, at) .. listed .. string.sub(row, at + 2))
if listed == 'l' then
  redis.call('ZADD', scores, score, article)
  redis.call('ZADD', times, seconds, article)
  if up >= mark then redis.call('ZADD', interesting, seconds, article) end
  for group in string.gmatch(groups, '%d+') do
    redis.call('ZADD', scores .. ':' .. group, score, article)
    redis.call('ZADD', times .. ':' .. group, seconds, article)
  end
else
  redis.call('ZREM', scores, article)
  redis.call('ZREM', times, article)
  redis.call('ZREM', interesting, article)
  for group in string.gmatch(groups, '%d+') do
    redis.call('ZREM', scores .. ':' .. group, article)
    redis.call('ZREM', times .. ':' .. group, article)
  end
end
return {'changed'}
