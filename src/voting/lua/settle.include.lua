-- An article crosses the interesting mark, one way or the other, or does not.
local function crossMark(interesting, article, seconds, mark, listed, upBefore, up)
  if up >= mark and upBefore < mark and listed == 'l' then
    redis.call('ZADD', interesting, seconds, article)
  elseif up < mark and upBefore >= mark then
    redis.call('ZREM', interesting, article)
  end
end

-- Puts an article's new tally where it shows: its row, its rankings, the interesting list.
-- `listed` and `groups` are the row's. A ranking is moved only where the article stands already (XX):
-- who is listed is decided elsewhere. Returns the score as it is written.
-- Calls: HSET and one ZADD a ranking; one more only when the article crosses the interesting mark.
local function settle(
  articles, scores, interesting, article, seconds, mark, row, listed, groups, upBefore, up, down
)
  local score = scoreOf(seconds, mark, up - down)
  redis.call('HSET', articles, article, struct.pack('>I4I4', up, down) .. string.sub(row, 9))
  redis.call('ZADD', scores, 'XX', score, article)
  if string.find(groups, ',', 1, true) then
    for group in string.gmatch(groups, '%d+') do
      redis.call('ZADD', scores .. ':' .. group, 'XX', score, article)
    end
  else
    redis.call('ZADD', scores .. ':' .. groups, 'XX', score, article)
  end
  crossMark(interesting, article, seconds, mark, listed, upBefore, up)
  return score
end
