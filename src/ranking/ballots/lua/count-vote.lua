-- A vote that did not count does so from now on.
--
-- KEYS[1]  voters       set         voters that the row does not hold: member id, a minus for down
-- KEYS[2]  older        set         members who show the opposite reaction as well
-- KEYS[3]  articles     hash        rows, and the guild's interesting mark
-- KEYS[4]  scores       sorted set  the guild's ranking
-- KEYS[5]  interesting  sorted set
-- KEYS[6]  uncounted    hash        member id -> '<shown> <reason> <until> <joined>'
-- ARGV[1]  article      snowflake
-- ARGV[2]  member       snowflake
-- ARGV[3]  seconds      the article's post time
-- Also touches: the score rankings of the article's groups, <KEYS[4]>:<channel>.
-- Returns {'counted', up, down}
--         {'unchanged'}  there is none, or the member has voted meanwhile
--         {'unknown'}    no such article
--         {'closed'}     its votes are frozen
--         {'locked'}     its voting is stopped
-- include score
-- include cross-mark
-- include rank
-- include save-tally
-- include voters
-- include ballot
local voters, older, articles, scores, interesting = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local uncounted = KEYS[6]
local article, member, seconds = ARGV[1], ARGV[2], tonumber(ARGV[3])

local found = redis.call('HMGET', articles, article, 'mark')
local row, mark = found[1], tonumber(found[2]) or 200
if not row then return {'unknown'} end
local up, down = struct.unpack('>I4I4', row)
local state, groups = string.match(row, '^(%l)%l(%S+)', 9)
if state == 'c' then return {'closed'} end
if state == 'k' then return {'locked'} end
local entry = redis.call('HGET', uncounted, member)
if not entry then return {'unchanged'} end

local votesUp, votesDown = readVote(row, voters, member)
redis.call('HDEL', uncounted, member)
if votesUp + votesDown > 0 then return {'unchanged'} end
local shows = string.match(entry, '^%l+')
local upBefore = up
if string.sub(shows, -1) == 'u' then
  row = addVote(row, voters, member, '')
  up = up + 1
else
  row = addVote(row, voters, member, '-')
  down = down + 1
end
if #shows == 2 then redis.call('SADD', older, member) end
saveTally(articles, scores, interesting, article, seconds, mark, row, groups, upBefore, up, down)
return {'counted', up, down}
