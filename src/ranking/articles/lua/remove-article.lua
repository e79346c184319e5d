-- A moderator or the poster removes an article: it leaves everything and its link can be posted again.
-- Its row is kept aside with its votes, so that this can be undone.
--
-- KEYS[1]  articles     hash        rows
-- KEYS[2]  links        hash        digest of the canonical link -> article
-- KEYS[3]  open         set         articles whose voting is not closed
-- KEYS[4]  interesting  sorted set
-- KEYS[5]  scores       sorted set  the guild's ranking by score
-- KEYS[6]  times        sorted set  the guild's ranking by post time
-- KEYS[7]  votes        sorted set  the guild's closed articles by net votes
-- KEYS[8]  days         prefix      of the rankings by net votes of a day's closed articles
-- KEYS[9]  removed      hash        article -> 13 digits of when (ms), its row, a line feed, its text
-- KEYS[10] texts        hash        article -> link and title
-- KEYS[11] voters       set         the article's voters, which all go there
-- ARGV[1]  article      snowflake
-- ARGV[2]  seconds      the article's post time
-- ARGV[3]  now          milliseconds, 13 digits
-- Also touches: the same rankings of the article's groups, each key followed by :<channel>.
-- Returns {'buried'}
--         {'unchanged'}  it was removed before
--         {'unknown'}    no such article
-- include places
-- include voters
local articles, links, open, interesting = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local rankings = { scores = KEYS[5], times = KEYS[6], votes = KEYS[7], days = KEYS[8] }
local removed, texts, voters = KEYS[9], KEYS[10], KEYS[11]
local article, seconds, now = ARGV[1], tonumber(ARGV[2]), ARGV[3]

local row = redis.call('HGET', articles, article)
if not row then
  return {redis.call('HEXISTS', removed, article) == 1 and 'unchanged' or 'unknown'}
end
local state, groups, digest = string.match(row, '^(%l)%l(%S+) %d+ (%S*)', 9)
local closed = state == 'c'

local text = redis.call('HGET', texts, article)
redis.call('HSET', removed, article, now .. moveVoters(row, voters, 0) .. '\n' .. text)
redis.call('HDEL', articles, article)
redis.call('HDEL', texts, article)
redis.call('SREM', open, article)
redis.call('ZREM', interesting, article)
displace(rankings, '', article, seconds, closed)
for group in string.gmatch(groups, '%d+') do
  displace(rankings, ':' .. group, article, seconds, closed)
end
if redis.call('HGET', links, digest) == article then redis.call('HDEL', links, digest) end
return {'buried'}
