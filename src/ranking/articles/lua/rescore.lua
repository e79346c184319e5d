-- One bounded step of re-scoring: writes the scores of some articles from the current tally and mark,
-- so that votes that arrive during a re-scoring stay correct.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  rescoring    string      the cursor of the walk over the articles
-- KEYS[3]  scores       sorted set  the guild's ranking
-- KEYS[4]  interesting  sorted set
-- ARGV[1]  cursor       where this step began
-- ARGV[2]  following    where the next step begins; 0 if this is the last
-- ARGV[3..] ids
-- Also touches: the score rankings of the articles' groups, <KEYS[3]>:<channel>.
-- Returns {'rescored'}
--         {'passed'}  the walk was restarted, or another process has done this step
-- include row
-- include score
local articles, rescoring, scores, interesting = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local cursor, following, ids = ARGV[1], ARGV[2], { unpack(ARGV, 3) }

if redis.call('GET', rescoring) ~= cursor then return {'passed'} end
local rows, mark = readRows(articles, ids)
for _, article in ipairs(ids) do
  local row = rows[article]
  if row then
    local score = scoreOf(row, mark)
    redis.call('ZADD', scores, 'XX', score, article)
    for group in string.gmatch(row.groups, '%d+') do
      redis.call('ZADD', scores .. ':' .. group, 'XX', score, article)
    end
    if row.listed == 'l' and isInteresting(row, mark) then
      redis.call('ZADD', interesting, row.seconds, article)
    else
      redis.call('ZREM', interesting, article)
    end
  end
end
if following == '0' then redis.call('DEL', rescoring) else redis.call('SET', rescoring, following) end
return {'rescored'}
