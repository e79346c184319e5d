-- Commits posted articles in the given order: the row, the rankings and the link of each.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  links        hash        digest of the canonical link -> article
-- KEYS[3]  postings     hash        digest of the canonical link -> reservation
-- KEYS[4]  open         set         articles whose voting is not closed
-- KEYS[5]  removed      hash        articles that a moderator or the poster removed
-- KEYS[6]  texts        hash        article -> link, title and comment
-- KEYS[7]  interesting  sorted set
-- KEYS[8]  scores       sorted set  the guild's ranking by score
-- KEYS[9]  times        sorted set  the guild's ranking by post time
-- KEYS[10] votes        sorted set  the guild's closed articles by net votes
-- KEYS[11] voterSets    prefix      of the articles' sets of voters
-- KEYS[12] olderSets    prefix      of the sets of members who show the opposite reaction as well
-- ARGV[1..] given       for each: article, its row, its post time in seconds, its text; a closed article
--                       also becomes interesting by the mark of now
-- Also touches: the same rankings of the articles' groups, each key followed by :<channel>, and the
-- sets of the articles, <KEYS[11]><article> and <KEYS[12]><article>.
-- Returns {'committed', mark, status, article, status, …}: for each article one of
--   posted
--   known      it exists or was removed; nothing was changed
--   duplicate  its link belongs to another article; that article's id follows instead of its own
-- include row
-- include score
-- include places
local articles, links, postings, open, removed, texts = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local rankings = { interesting = KEYS[7], scores = KEYS[8], times = KEYS[9], votes = KEYS[10] }
local voterSets, olderSets = KEYS[11], KEYS[12]
local given = ARGV

local ids, digests, parsed = {}, {}, {}
for n = 1, #given, 4 do
  local row = parseRow(given[n + 1])
  ids[#ids + 1], digests[#digests + 1], parsed[#parsed + 1] = given[n], row.digest, row
end
local known, mark = readRows(articles, ids)
local gone = redis.call('HMGET', removed, unpack(ids))
local owners = redis.call('HMGET', links, unpack(digests))

local replies, taken = {'committed', mark}, {}
for n, article in ipairs(ids) do
  local _, _, seconds, text = unpack(given, n * 4 - 3, n * 4)
  local row = parsed[n]
  local owner = taken[row.digest] or owners[n] or article
  if known[article] or gone[n] then
    replies[#replies + 1], replies[#replies + 2] = 'known', article
  elseif owner ~= article then
    replies[#replies + 1], replies[#replies + 2] = 'duplicate', owner
  else
    replies[#replies + 1], replies[#replies + 2] = 'posted', article
    known[article], taken[row.digest] = row, article
    if row.state == 'c' then closeRow(row, mark) end
    redis.call('HSET', articles, article, formatRow(row))
    redis.call('HSET', texts, article, text)
    redis.call('HSET', links, row.digest, article)
    redis.call('HDEL', postings, row.digest)
    -- Voters of a row that was lost would not be in the tally.
    redis.call('UNLINK', voterSets .. article, olderSets .. article)
    if not row.closed then redis.call('SADD', open, article) end
    place(rankings, article, row, seconds, mark)
  end
end
return replies
