-- Puts articles into every ranking and index in which their rows belong, with their scores by the mark of
-- now. What is right already stays. A row and its places change in one script, so what was missing was
-- damaged.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1..] ids      of articles; one without a row is left out
-- Returns {'placed', count}  how many of them were missing in `open` or in a ranking by score or time
-- include guild-keys
-- include row
-- include rankings
local ids = ARGV

-- Another article may have the link. While a link is reserved, the index does not need it.
local function lacksLink(row)
  local owner = redis.call('HGET', links, row.linkHash)
  if owner and redis.call('HEXISTS', articles, owner) == 1 then return false end
  return redis.call('HEXISTS', postings, row.linkHash) == 0
end

local rows, scale = readRows(articles, ids)
local count = 0
for _, article in ipairs(ids) do
  local row = rows[article]
  if row then
    if lacksLink(row) then redis.call('HSET', links, row.linkHash, article) end
    local missing = row.closed and 0 or redis.call('SADD', open, article)
    missing = missing + place(rankings, article, row, scale)
    if not isInteresting(row, scale) then redis.call('ZREM', rankings.interesting, article) end
    if missing > 0 then count = count + 1 end
  end
end
return {'placed', count}
