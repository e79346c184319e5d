-- Votes that do not count are kept as '<shown> <reason> <until> <joined>': which reactions the member
-- shows, u or d, the newer last. This takes one of them away, and the entry with the last.
local function unshow(uncounted, member, letter)
  local entry = redis.call('HGET', uncounted, member)
  if not entry then return end
  local shown, rest = string.match(entry, '^(%l+)(.*)$')
  shown = string.gsub(shown, letter, '')
  if shown == '' then
    redis.call('HDEL', uncounted, member)
  else
    redis.call('HSET', uncounted, member, shown .. rest)
  end
end
