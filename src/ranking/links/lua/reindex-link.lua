-- Enters an article's link in the index under the name that today's rules give it.
-- Who has no name in the index any more, because its link was freed, gets none.
--
-- KEYS[1]  articles   hash       rows
-- KEYS[2]  links      hash       digest of the canonical link -> article
-- KEYS[3]  removed    hash       article -> 13 digits of when (ms), its row, a line feed, its text
-- ARGV[1]  article    snowflake
-- ARGV[2..] digests   the names to be tried in this order; one that an older article has is taken
-- Returns {'moved'}
--         {'unchanged'}
--         {'unknown'}    no such article
local articles, links, removed = KEYS[1], KEYS[2], KEYS[3]
local article, digests = ARGV[1], { unpack(ARGV, 2) }

local rows, at = articles, 9
local row = redis.call('HGET', articles, article)
if not row then
  rows, at = removed, 22
  row = redis.call('HGET', removed, article)
end
if not row then return {'unknown'} end
local state, old, rest = string.match(row, '^(%l%l%S+ %d+ )([%w_-]+)(.*)$', at)
local isNamed = redis.call('HGET', links, old) == article

local digest = digests[1]
if isNamed then
  for _, candidate in ipairs(digests) do
    local other = redis.call('HGET', links, candidate)
    digest = candidate
    if not other or other == article or #other > #article or (#other == #article and other > article)
    then break end
  end
end
if digest == old then return {'unchanged'} end
if isNamed then
  redis.call('HDEL', links, old)
  redis.call('HSET', links, digest, article)
end
redis.call('HSET', rows, article, string.sub(row, 1, at - 1) .. state .. digest .. rest)
return {'moved'}
