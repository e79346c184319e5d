-- The rankings that contain an article: those of the guild (suffix '') and of its groups (suffix
-- ':<channel>'). A hidden article is only in those of its home group.
-- `rankings` has the guild's keys: scores, times, votes, interesting, and days without the day's number.
local function suffixesOf(row)
  if row.listed == 'h' then return { ':' .. string.match(row.groups, '^%d+') } end
  local suffixes = { '' }
  for group in string.gmatch(row.groups, '%d+') do suffixes[#suffixes + 1] = ':' .. group end
  return suffixes
end

local function dayOf(rankings, suffix, seconds)
  return rankings.days .. string.format('%d', math.floor(seconds / 86400)) .. suffix
end

-- Closed articles are also in the rankings by votes: the best 1 000 ever, and the best 200 of each day
-- of posting. A day's ranking expires 40 days after its last closing.
local function placeIn(rankings, suffix, article, row, seconds, mark)
  redis.call('ZADD', rankings.scores .. suffix, scoreOf(row, seconds, mark), article)
  redis.call('ZADD', rankings.times .. suffix, seconds, article)
  if row.state ~= 'c' then return end
  local votes, day = rankings.votes .. suffix, dayOf(rankings, suffix, seconds)
  redis.call('ZADD', votes, row.up - row.down, article)
  redis.call('ZREMRANGEBYRANK', votes, 0, -1001)
  redis.call('ZADD', day, row.up - row.down, article)
  redis.call('ZREMRANGEBYRANK', day, 0, -201)
  redis.call('EXPIRE', day, 3456000)
end

local function displaceFrom(rankings, suffix, article, row, seconds)
  redis.call('ZREM', rankings.scores .. suffix, article)
  redis.call('ZREM', rankings.times .. suffix, article)
  if row.state ~= 'c' then return end
  redis.call('ZREM', rankings.votes .. suffix, article)
  redis.call('ZREM', dayOf(rankings, suffix, seconds), article)
end

local function place(rankings, article, row, seconds, mark)
  for _, suffix in ipairs(suffixesOf(row)) do placeIn(rankings, suffix, article, row, seconds, mark) end
  if row.listed == 'l' and row.up >= mark then
    redis.call('ZADD', rankings.interesting, seconds, article)
  end
end

local function displace(rankings, article, row, seconds)
  for _, suffix in ipairs(suffixesOf(row)) do displaceFrom(rankings, suffix, article, row, seconds) end
  redis.call('ZREM', rankings.interesting, article)
end
