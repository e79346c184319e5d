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
