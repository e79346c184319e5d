-- Makes what a member shows exactly this, whatever was known before: how a recount writes, and how a
-- vote is retracted without knowing which it was.
--
-- KEYS[1]  voters       set         voters that the row does not hold: member id, a minus for down
-- KEYS[2]  older        set         members who show the opposite reaction as well
-- KEYS[3]  articles     hash        rows, and the guild's interesting mark
-- KEYS[4]  scores       sorted set  the guild's ranking
-- KEYS[5]  interesting  sorted set
-- ARGV[1]  article      snowflake
-- ARGV[2]  member       snowflake
-- ARGV[3]  vote         'up', 'down' or 'none'
-- ARGV[4]  both         '1' where the opposite reaction is shown as well, and is the older
-- ARGV[5]  seconds      the article's post time
-- Also touches: the score rankings of the article's groups, <KEYS[4]>:<channel>.
-- Returns {'counted', up, down}
--         {'unchanged'}  this was the vote already
--         {'unknown'}    no such article
--         {'closed'}     its votes are frozen
--         {'locked'}     its voting is stopped
--         {'poster'}     the poster's vote is fixed
-- include score
-- include cross-mark
-- include rank
-- include save-tally
-- include voters
-- include ballot
local voters, older, articles, scores, interesting = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local article, member, vote, both, seconds = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])

local found = redis.call('HMGET', articles, article, 'mark')
local row, mark = found[1], tonumber(found[2]) or 200
if not row then return {'unknown'} end
local up, down = struct.unpack('>I4I4', row)
local state, groups, poster = string.match(row, '^(%l)%l(%S+) (%d+)', 9)
if state == 'c' then return {'closed'} end
if state == 'k' then return {'locked'} end
if poster == member then return {'poster'} end

local shownUp, shownDown = readVote(row, voters, member)
local upBefore, downBefore = up, down
up = up - shownUp + (vote == 'up' and 1 or 0)
down = down - shownDown + (vote == 'down' and 1 or 0)
if both == '1' then redis.call('SADD', older, member) else redis.call('SREM', older, member) end
if up == upBefore and down == downBefore then return {'unchanged'} end
if shownUp == 1 then row = dropVote(row, voters, member, '') end
if shownDown == 1 then row = dropVote(row, voters, member, '-') end
if vote ~= 'none' then row = addVote(row, voters, member, vote == 'up' and '' or '-') end
saveTally(articles, scores, interesting, article, seconds, mark, row, groups, upBefore, up, down)
return {'counted', up, down}
