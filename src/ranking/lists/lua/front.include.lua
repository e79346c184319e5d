-- Updates an article's place in the front order, or removes it if it is not listed.
local function enterFront(front, loudness, article, seconds, mark, row)
  if not row or row.listed ~= 'l' then
    redis.call('ZREM', front, article)
    return
  end
  local home = string.match(row.groups, '^%d+')
  local weigh = redis.call('HMGET', loudness, home, 'new')
  local factor = tonumber(weigh[1] or weigh[2] or 1)
  local score = seconds + 86400 / mark * factor * (row.up - row.down)
  redis.call('ZADD', front, string.format('%.17g', score), article)
end
