-- Puts an article where it belongs in the front order, or takes it out where it is not listed.
local function enterFront(front, loudness, article, seconds, mark, row)
  local listed, home
  if row then listed, home = string.match(row, '^%l(%l)(%d+)', 9) end
  if listed ~= 'l' then
    redis.call('ZREM', front, article)
    return
  end
  local up, down = struct.unpack('>I4I4', row)
  local weigh = redis.call('HMGET', loudness, home, 'new')
  local factor = tonumber(weigh[1] or weigh[2] or 1)
  redis.call('ZADD', front, string.format('%.17g', seconds + 86400 / mark * factor * (up - down)), article)
end
