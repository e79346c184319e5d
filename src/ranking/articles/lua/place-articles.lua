-- Puts articles into every ranking and index in which their rows belong. What is right already stays.
-- A row and its places change in one script, so what was missing was damaged.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1..] given       for each: article and its post time in seconds
-- Returns {'placed', count}  of the articles of which something was missing
-- include guild-keys
-- include row
-- include score
-- include places
local given = ARGV

-- A full ranking by votes leaves articles out, so only a missing key counts.
local function lacksVotes(row)
  if not row.closed then return false end
  for _, suffix in ipairs(suffixesOf(row)) do
    if redis.call('EXISTS', rankings.votes .. suffix) == 0 then return true end
  end
  return false
end

-- Another article may have the link. While a link is reserved, the index does not need it.
local function lacksLink(row)
  local owner = redis.call('HGET', links, row.digest)
  if owner and redis.call('HEXISTS', articles, owner) == 1 then return false end
  return redis.call('HEXISTS', postings, row.digest) == 0
end

-- A single link may be free, since the article that had it last was deleted.
local isIndexGone = redis.call('EXISTS', links) == 0

local ids = {}
for n = 1, #given, 2 do ids[#ids + 1] = given[n] end
local rows, mark = readRows(articles, ids)
local count = 0
for n, article in ipairs(ids) do
  local row = rows[article]
  if row then
    local missing = lacksVotes(row) and 1 or 0
    if not row.closed then missing = missing + redis.call('SADD', open, article) end
    if lacksLink(row) then
      redis.call('HSET', links, row.digest, article)
      if isIndexGone then missing = missing + 1 end
    end
    missing = missing + place(rankings, article, row, given[n * 2], mark)
    if missing > 0 then count = count + 1 end
  end
end
return {'placed', count}
