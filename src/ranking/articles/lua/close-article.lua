-- Freezes an article's votes, deletes its voters, and enters it into the rankings by votes.
--
-- KEYS[1]  articles  hash        rows, and the guild's interesting mark
-- KEYS[2]  open      set         articles whose voting is not closed
-- KEYS[3]  scores    sorted set  the guild's ranking by score
-- KEYS[4]  times     sorted set  the guild's ranking by post time
-- KEYS[5]  votes     sorted set  the guild's closed articles by net votes
-- KEYS[6]  days      prefix      of the rankings by net votes of a day's closed articles
-- KEYS[7]  voters    set         the article's voters, where the row does not hold them
-- KEYS[8]  older     set         its voters who show both reactions
-- ARGV[1]  article   snowflake
-- ARGV[2]  seconds   the article's post time
-- Also touches: the same rankings of the article's groups, each key followed by :<channel>.
-- Returns {'closed', up, down}
--         {'unchanged', up, down}  it was closed already
--         {'unknown'}              no such article
-- include score
-- include places
local articles, open = KEYS[1], KEYS[2]
local rankings = { scores = KEYS[3], times = KEYS[4], votes = KEYS[5], days = KEYS[6] }
local voters, older = KEYS[7], KEYS[8]
local article, seconds = ARGV[1], tonumber(ARGV[2])

local found = redis.call('HMGET', articles, article, 'mark')
local row, mark = found[1], tonumber(found[2]) or 200
redis.call('SREM', open, article)
-- One that was removed meanwhile keeps its voters, since that can be undone.
if not row then return {'unknown'} end
redis.call('UNLINK', voters, older)
local up, down, at = struct.unpack('>I4I4', row)
local state, listed, groups = string.match(row, '^(%l)(%l)(%S+)', at)
if state == 'c' then return {'unchanged', up, down} end

local net = up - down
local score = scoreOf(seconds, mark, net)
-- The head alone: the voters go.
local last = (string.find(row, '\n', at, true) or 0) - 1
redis.call('HSET', articles, article, string.sub(row, 1, at - 1) .. 'c' .. string.sub(row, at + 1, last))
if listed == 'l' then place(rankings, '', article, seconds, score, net, true) end
for group in string.gmatch(groups, '%d+') do
  place(rankings, ':' .. group, article, seconds, score, net, true)
  if listed == 'h' then break end
end
return {'closed', up, down}
