-- One bounded step of re-scoring: walks some of the guild's rows and writes their scores anew from
-- the tally and the mark as they are now, so that votes arriving meanwhile are right at any time.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  rescoring    string      the cursor, which this moves on
-- KEYS[3]  scores       sorted set  the guild's ranking
-- KEYS[4]  interesting  sorted set
-- ARGV[1]  count        about how many rows
-- Also touches: the score rankings of the articles' groups, <KEYS[3]>:<channel>.
-- Returns {'more', done}  done: how many articles this step re-scored
--         {'done', done}
-- include seconds-of
-- include score
local articles, rescoring, scores, interesting = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local count = ARGV[1]

local cursor = redis.call('GET', rescoring)
if not cursor then return {'done', 0} end
local mark = tonumber(redis.call('HGET', articles, 'mark')) or 200
local scan = redis.call('HSCAN', articles, cursor, 'COUNT', count)
local found, done = scan[2], 0
for i = 1, #found, 2 do
  local article, row = found[i], found[i + 1]
  if string.find(article, '^%d+$') then
    local up, down, at = struct.unpack('>I4I4', row)
    local listed, groups = string.match(row, '^%l(%l)(%S+)', at)
    local seconds = secondsOf(article)
    local score = scoreOf(seconds, mark, up - down)
    redis.call('ZADD', scores, 'XX', score, article)
    for group in string.gmatch(groups, '%d+') do
      redis.call('ZADD', scores .. ':' .. group, 'XX', score, article)
    end
    if listed == 'l' and up >= mark then
      redis.call('ZADD', interesting, seconds, article)
    else
      redis.call('ZREM', interesting, article)
    end
    done = done + 1
  end
end
if scan[1] == '0' then
  redis.call('DEL', rescoring)
  return {'done', done}
end
redis.call('SET', rescoring, scan[1])
return {'more', done}
