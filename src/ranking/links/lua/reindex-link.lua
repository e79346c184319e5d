-- Indexes an article's link under its name by the current rules.
-- An article whose link was freed has no name in the index, and gets none.
--
-- KEYS[1]  articles   hash       rows
-- KEYS[2]  links      hash       digest of the canonical link -> article
-- KEYS[3]  removed    hash       article -> time of removal (ms), a space, row, a line feed, text
-- ARGV[1]  article    snowflake
-- ARGV[2..] digests   the names to try in this order; a name that an older article has is taken
-- Returns {'moved'}
--         {'unchanged'}
--         {'unknown'}    no such article
-- include row
local articles, links, removed = KEYS[1], KEYS[2], KEYS[3]
local article, digests = ARGV[1], { unpack(ARGV, 2) }

local before, row, behind = '', parseRow(redis.call('HGET', articles, article)), ''
local rows = articles
if not row then
  local kept = redis.call('HGET', removed, article) or ''
  local when, rowText, text = string.match(kept, '^(%d+ )([^\n]*)(\n.*)$')
  rows, before, row, behind = removed, when, parseRow(rowText), text
end
if not row then return {'unknown'} end
local isNamed = redis.call('HGET', links, row.digest) == article

local digest = digests[1]
if isNamed then
  for _, candidate in ipairs(digests) do
    local other = redis.call('HGET', links, candidate)
    digest = candidate
    if not other or other == article or #other > #article or (#other == #article and other > article)
    then break end
  end
end
if digest == row.digest then return {'unchanged'} end
if isNamed then
  redis.call('HDEL', links, row.digest)
  redis.call('HSET', links, digest, article)
end
row.digest = digest
redis.call('HSET', rows, article, before .. formatRow(row) .. behind)
return {'moved'}
