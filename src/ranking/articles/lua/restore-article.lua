-- Puts a removed article back where it was, with its votes.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  links        hash        digest of the canonical link -> article
-- KEYS[3]  open         set         articles whose voting is not closed
-- KEYS[4]  interesting  sorted set
-- KEYS[5]  scores       sorted set  the guild's ranking by score
-- KEYS[6]  times        sorted set  the guild's ranking by post time
-- KEYS[7]  votes        sorted set  the guild's closed articles by net votes
-- KEYS[8]  days         prefix      of the rankings by net votes of a day's closed articles
-- KEYS[9]  removed      hash        article -> 13 digits of when (ms), its row, a line feed, its text
-- KEYS[10] texts        hash        article -> link and title
-- ARGV[1]  article      snowflake
-- ARGV[2]  seconds      the article's post time
-- ARGV[3]  listed       'l' for listed, 'h' for hidden, as its home channel is now
-- Also touches: the same rankings of the article's groups, each key followed by :<channel>.
-- Returns {'unburied'}
--         {'unchanged'}           it is there
--         {'duplicate', article}  its link belongs to another article by now
--         {'unknown'}             no removed article
-- include score
-- include places
local articles, links, open, interesting = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local rankings = { scores = KEYS[5], times = KEYS[6], votes = KEYS[7], days = KEYS[8] }
local removed, texts = KEYS[9], KEYS[10]
local article, seconds, listed = ARGV[1], tonumber(ARGV[2]), ARGV[3]

local found = redis.call('HMGET', articles, article, 'mark')
if found[1] then return {'unchanged'} end
local kept = redis.call('HGET', removed, article)
if not kept then return {'unknown'} end
local mark = tonumber(found[2]) or 200
-- The tally's bytes may hold a line feed; the text follows the first behind them.
local endOfRow = string.find(kept, '\n', 22, true)
local row, text = string.sub(kept, 14, endOfRow - 1), string.sub(kept, endOfRow + 1)
local up, down, at = struct.unpack('>I4I4', row)
local state, groups, digest = string.match(row, '^(%l)%l(%S+) %d+ (%S*)', at)
local other = redis.call('HGET', links, digest)
if other and other ~= article then return {'duplicate', other} end

local closed, net = state == 'c', up - down
local score = scoreOf(seconds, mark, net)
redis.call('HSET', articles, article, string.sub(row, 1, at) .. listed .. string.sub(row, at + 2))
redis.call('HSET', texts, article, text)
redis.call('HDEL', removed, article)
redis.call('HSET', links, digest, article)
if not closed then redis.call('SADD', open, article) end
if listed == 'l' then
  place(rankings, '', article, seconds, score, net, closed)
  if up >= mark then redis.call('ZADD', interesting, seconds, article) end
end
for group in string.gmatch(groups, '%d+') do
  place(rankings, ':' .. group, article, seconds, score, net, closed)
  if listed == 'h' then break end -- Hidden: in its home group's rankings alone.
end
return {'unburied'}
