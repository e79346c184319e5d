-- An article's places in the rankings of the guild (suffix '') or of a group (suffix ':<channel>').
-- `rankings` names the guild's: scores, times, votes, and days, which ends before the day's number.
-- Closed articles stand in the rankings by votes as well: the best 1 000 ever, and the best 200 of
-- each day of posting, which is swept 40 days after its last closing.
local function placeClosed(rankings, suffix, article, seconds, net)
  local votes = rankings.votes .. suffix
  local day = rankings.days .. string.format('%d', math.floor(seconds / 86400)) .. suffix
  redis.call('ZADD', votes, net, article)
  redis.call('ZREMRANGEBYRANK', votes, 0, -1001)
  redis.call('ZADD', day, net, article)
  redis.call('ZREMRANGEBYRANK', day, 0, -201)
  redis.call('EXPIRE', day, 3456000)
end

local function place(rankings, suffix, article, seconds, score, net, closed)
  redis.call('ZADD', rankings.scores .. suffix, score, article)
  redis.call('ZADD', rankings.times .. suffix, seconds, article)
  if closed then placeClosed(rankings, suffix, article, seconds, net) end
end

local function displace(rankings, suffix, article, seconds, closed)
  redis.call('ZREM', rankings.scores .. suffix, article)
  redis.call('ZREM', rankings.times .. suffix, article)
  if not closed then return end
  redis.call('ZREM', rankings.votes .. suffix, article)
  redis.call('ZREM', rankings.days .. string.format('%d', math.floor(seconds / 86400)) .. suffix, article)
end
