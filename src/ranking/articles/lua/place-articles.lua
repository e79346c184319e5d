-- Puts articles into every ranking and index in which their rows belong. What is right already stays.
-- A row and its places change in one script, so what was missing was damaged.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1..] given       for each: article and its post time in seconds
-- Returns {'placed', count}  of the articles that the open ones or a ranking by score or time lacked
-- include guild-keys
-- include row
-- include score
-- include places
local given = ARGV

-- Another article may have the link. While a link is reserved, the index does not need it.
local function lacksLink(row)
  local owner = redis.call('HGET', links, row.digest)
  if owner and redis.call('HEXISTS', articles, owner) == 1 then return false end
  return redis.call('HEXISTS', postings, row.digest) == 0
end

local ids = {}
for n = 1, #given, 2 do ids[#ids + 1] = given[n] end
local rows, mark = readRows(articles, ids)
local count = 0
for n, article in ipairs(ids) do
  local row = rows[article]
  if row then
    if lacksLink(row) then redis.call('HSET', links, row.digest, article) end
    local missing = row.closed and 0 or redis.call('SADD', open, article)
    missing = missing + place(rankings, article, row, given[n * 2], mark)
    if missing > 0 then count = count + 1 end
  end
end
return {'placed', count}
