-- Puts articles into every ranking and index in which their rows belong. What is right already stays.
-- A row and its places change in one script, so what was missing was damaged.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  links        hash        digest of the canonical link -> article
-- KEYS[3]  open         set         articles whose voting is not closed
-- KEYS[4]  interesting  sorted set
-- KEYS[5]  scores       sorted set  the guild's ranking by score
-- KEYS[6]  times        sorted set  the guild's ranking by post time
-- KEYS[7]  votes        sorted set  the guild's closed articles by net votes
-- KEYS[8]  postings     hash        digest of the canonical link -> reservation
-- ARGV[1..] given       for each: article and its post time in seconds
-- Also touches: the same rankings of the articles' groups, each key followed by :<channel>.
-- Returns {'placed', count}  of the articles of which something was missing
-- include row
-- include score
-- include places
local articles, links, open = KEYS[1], KEYS[2], KEYS[3]
local rankings = { interesting = KEYS[4], scores = KEYS[5], times = KEYS[6], votes = KEYS[7] }
local postings = KEYS[8]
local given = ARGV

-- A full ranking by votes lacks articles rightly, so only a missing key counts.
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

-- A single link may rightly be free: the article that had it last was deleted.
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
