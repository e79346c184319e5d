-- Lists an article in the guild or hides it, after its home channel's visibility changed.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  interesting  sorted set
-- KEYS[3]  scores       sorted set  the guild's ranking by score
-- KEYS[4]  times        sorted set  the guild's ranking by post time
-- KEYS[5]  votes        sorted set  the guild's closed articles by net votes
-- KEYS[6]  days         prefix      of the rankings by net votes of a day's closed articles
-- ARGV[1]  article      snowflake
-- ARGV[2]  seconds      the article's post time
-- ARGV[3]  listed       'l' for listed, 'h' for hidden
-- ARGV[4]  channel      the home channel that changed; articles at home elsewhere are left alone
-- Also touches: the same rankings of the article's groups, each key followed by :<channel>.
-- Returns {'changed'}
--         {'unchanged'}
--         {'unknown'}  no such article
-- include score
-- include places
local articles, interesting = KEYS[1], KEYS[2]
local rankings = { scores = KEYS[3], times = KEYS[4], votes = KEYS[5], days = KEYS[6] }
local article, seconds, listed, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]

local found = redis.call('HMGET', articles, article, 'mark')
local row, mark = found[1], tonumber(found[2]) or 200
if not row then return {'unknown'} end
local up, down, at = struct.unpack('>I4I4', row)
local state, before, home, groups = string.match(row, '^(%l)(%l)(%d+)(%S*)', at)
if before == listed or home ~= channel then return {'unchanged'} end

local closed, net = state == 'c', up - down
local score = scoreOf(seconds, mark, net)
redis.call('HSET', articles, article, string.sub(row, 1, at) .. listed .. string.sub(row, at + 2))
if listed == 'l' then
  if up >= mark then redis.call('ZADD', interesting, seconds, article) end
  place(rankings, '', article, seconds, score, net, closed)
  for group in string.gmatch(groups, '%d+') do
    place(rankings, ':' .. group, article, seconds, score, net, closed)
  end
else
  redis.call('ZREM', interesting, article)
  displace(rankings, '', article, seconds, closed)
  for group in string.gmatch(groups, '%d+') do
    displace(rankings, ':' .. group, article, seconds, closed)
  end
end
return {'changed'}
