-- Indexes an article's link under its name by the current rules.
-- An article whose link was freed, or that was removed, has no name in the index and gets none; only the
-- link hash in its row changes.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article       snowflake
-- ARGV[2..] linkHashes  of its names, to try in this order; the last belongs to this article alone
-- Returns {'moved'}
--         {'unchanged'}
--         {'unknown'}    no such article
-- include guild-keys
-- include row
-- include removed
local article, linkHashes = ARGV[1], { unpack(ARGV, 2) }

local row = parseRow(redis.call('HGET', articles, article))
local removal, text
if not row then row, removal, text = parseRemoved(redis.call('HGET', removed, article)) end
if not row then return {'unknown'} end

-- A newer article gives way: its id is longer, or as long and greater.
local function isFree(linkHash)
  local owner = redis.call('HGET', links, linkHash)
  if not owner or owner == article then return true end
  return #owner > #article or (#owner == #article and owner > article)
end

local function firstFree()
  for _, linkHash in ipairs(linkHashes) do
    if isFree(linkHash) then return linkHash end
  end
  return linkHashes[#linkHashes]
end

local isIndexed = redis.call('HGET', links, row.linkHash) == article
local linkHash = isIndexed and firstFree() or linkHashes[1]
if linkHash == row.linkHash then return {'unchanged'} end
if isIndexed then
  redis.call('HDEL', links, row.linkHash)
  redis.call('HSET', links, linkHash, article)
end
row.linkHash = linkHash
if removal then
  redis.call('HSET', removed, article, formatRemoved(row, removal, text))
else
  redis.call('HSET', articles, article, formatRow(row))
end
return {'moved'}
