-- Commits a posted article: its row, its rankings, its link, with the poster's up vote counted.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  links        hash        digest of the canonical link -> article
-- KEYS[3]  postings     hash        digest of the canonical link -> reservation
-- KEYS[4]  open         set         articles whose voting is not closed
-- KEYS[5]  interesting  sorted set
-- KEYS[6]  scores       sorted set  the guild's ranking by score
-- KEYS[7]  times        sorted set  the guild's ranking by post time
-- KEYS[8]  votes        sorted set  the guild's closed articles by net votes
-- KEYS[9]  days         prefix      of the rankings by net votes of a day's closed articles
-- KEYS[10] removed      hash        rows of articles that a moderator or the poster removed
-- KEYS[11] texts        hash        article -> link and title
-- ARGV[1]  article      snowflake
-- ARGV[2]  row          the row behind its tally
-- ARGV[3]  digest       of the canonical link; the row holds it too
-- ARGV[4]  seconds      the article's post time
-- ARGV[5]  up           up votes, the poster's included
-- ARGV[6]  down         down votes
-- ARGV[7]  text         link and title
-- Also touches: the same rankings of the article's groups, each key followed by :<channel>.
-- Returns {'posted', mark}
--         {'known'}               the article is there already, or was removed; nothing was changed
--         {'duplicate', article}  the link belongs to another article
-- include places
local articles, links, postings, open, interesting = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local rankings = { scores = KEYS[6], times = KEYS[7], votes = KEYS[8], days = KEYS[9] }
local removed, texts = KEYS[10], KEYS[11]
local article, row, digest, seconds = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local up, down, text = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]

local found = redis.call('HMGET', articles, article, 'mark')
if found[1] or redis.call('HEXISTS', removed, article) == 1 then return {'known'} end
local first = redis.call('HGET', links, digest)
if first and first ~= article then return {'duplicate', first} end

local mark = tonumber(found[2] or 200)
local state, listed, groups = string.match(row, '^(%l)(%l)(%S+)')
local closed, net = state == 'c', up - down
local score = scoreOf(seconds, mark, net)
redis.call('HSET', articles, article, struct.pack('>I4I4', up, down) .. row)
redis.call('HSET', texts, article, text)
redis.call('HSET', links, digest, article)
redis.call('HDEL', postings, digest)
if not closed then redis.call('SADD', open, article) end
if listed == 'l' then
  place(rankings, '', article, seconds, score, net, closed)
  if up >= mark then redis.call('ZADD', interesting, seconds, article) end
end
for group in string.gmatch(groups, '%d+') do
  place(rankings, ':' .. group, article, seconds, score, net, closed)
  if listed == 'h' then break end -- Hidden: in its home group's rankings alone.
end
return {'posted', tostring(mark)}
