-- An article crosses the interesting mark, one way or the other, or does not.
local function crossMark(interesting, article, seconds, mark, row, upBefore, up)
  if up >= mark then
    if upBefore < mark and string.byte(row, 10) == 108 then -- 'l', listed
      redis.call('ZADD', interesting, seconds, article)
    end
  elseif upBefore >= mark then
    redis.call('ZREM', interesting, article)
  end
end

-- Moves an article in the rankings of the guild and of its groups. A ranking is moved only where the
-- article stands already (XX): who is listed is decided elsewhere.
local function rank(scores, groups, article, score)
  redis.call('ZADD', scores, 'XX', score, article)
  if string.find(groups, ',', 1, true) then
    for group in string.gmatch(groups, '%d+') do
      redis.call('ZADD', scores .. ':' .. group, 'XX', score, article)
    end
  else
    redis.call('ZADD', scores .. ':' .. groups, 'XX', score, article)
  end
end

-- Puts an article's new tally where it shows: its row, its rankings, the interesting list.
-- `groups` are the row's.
-- Calls: HSET and one ZADD a ranking; one more only when the article crosses the interesting mark.
local function settle(articles, scores, interesting, article, seconds, mark, row, groups, upBefore, up, down)
  row = struct.pack('>I4I4', up, down) .. string.sub(row, 9)
  redis.call('HSET', articles, article, row)
  rank(scores, groups, article, scoreOf(seconds, mark, up - down))
  crossMark(interesting, article, seconds, mark, row, upBefore, up)
end
