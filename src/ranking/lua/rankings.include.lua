-- The rankings that contain an article: those of the guild (suffix '') and of its groups (suffix
-- ':<channel>'). A hidden article is only in those of its home group.
-- `rankings` has the guild's keys: scores, times, votes and interesting.
local function suffixesOf(row)
  if row.listed == 'h' then return { ':' .. string.match(row.groups, '^%d+') } end
  local suffixes = { '' }
  for group in string.gmatch(row.groups, '%d+') do suffixes[#suffixes + 1] = ':' .. group end
  return suffixes
end

-- Closed articles are also in the ranking by votes: the best 1 000. Returns how many of the rankings by
-- score and by time lacked the article.
local function rankIn(rankings, suffix, article, row, scale)
  if row.closed then
    redis.call('ZADD', rankings.votes .. suffix, row.up - row.down, article)
    redis.call('ZREMRANGEBYRANK', rankings.votes .. suffix, 0, -1001)
  end
  return redis.call('ZADD', rankings.scores .. suffix, scoreOf(row, scale), article)
    + redis.call('ZADD', rankings.times .. suffix, row.seconds, article)
end

local function displaceFrom(rankings, suffix, article)
  redis.call('ZREM', rankings.scores .. suffix, article)
  redis.call('ZREM', rankings.times .. suffix, article)
  redis.call('ZREM', rankings.votes .. suffix, article)
end

local function place(rankings, article, row, scale)
  local added = 0
  for _, suffix in ipairs(suffixesOf(row)) do
    added = added + rankIn(rankings, suffix, article, row, scale)
  end
  if row.listed == 'l' and isInteresting(row, scale) then
    if redis.call('ZADD', rankings.interesting, row.seconds, article) == 1 then announce() end
  end
  return added
end

local function displace(rankings, article, row)
  for _, suffix in ipairs(suffixesOf(row)) do displaceFrom(rankings, suffix, article) end
  redis.call('ZREM', rankings.interesting, article)
end
