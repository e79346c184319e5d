-- A member's reaction went away: the vote falls back to the older reaction where that is still
-- shown, otherwise it is retracted.
--
-- KEYS[1]  voters       set         voters that the row does not hold: member id, a minus for down
-- KEYS[2]  older        set         members who show the opposite reaction as well
-- KEYS[3]  articles     hash        rows, and the guild's interesting mark
-- KEYS[4]  scores       sorted set  the guild's ranking
-- KEYS[5]  interesting  sorted set
-- ARGV[1]  article      snowflake
-- ARGV[2]  member       snowflake
-- ARGV[3]  sign         '' for up, '-' for down: the reaction that went
-- ARGV[4]  seconds      the article's post time
-- Also touches: the score rankings of the article's groups, <KEYS[4]>:<channel>.
-- Returns {'counted', up, down, fell}: fell is 1 where the older reaction is now the vote
--         {'unchanged'}  the vote is another one
--         {'unknown'}    no such article
--         {'closed'}     its votes are frozen
--         {'locked'}     its voting is stopped
--         {'poster'}     the poster's own reactions do not count
-- include score
-- include cross-mark
-- include rank
-- include save-tally
-- include voters
-- include ballot
local voters, older, articles, scores, interesting = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local article, member, sign, seconds = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local opposite = sign == '' and '-' or ''

local found = redis.call('HMGET', articles, article, 'mark')
local row, mark = found[1], tonumber(found[2]) or 200
if not row then return {'unknown'} end
local up, down = struct.unpack('>I4I4', row)
local state, groups, poster = string.match(row, '^(%l)%l(%S+) (%d+)', 9)
if state == 'c' then return {'closed'} end
if state == 'k' then return {'locked'} end
if poster == member then return {'poster'} end

local fell = redis.call('SREM', older, member)
local taken
row, taken = dropVote(row, voters, member, sign)
if not taken then return {'unchanged'} end
local upBefore = up
if sign == '' then up = up - 1 else down = down - 1 end
if fell == 1 then
  row = addVote(row, voters, member, opposite)
  if sign == '' then down = down + 1 else up = up + 1 end
end
saveTally(articles, scores, interesting, article, seconds, mark, row, groups, upBefore, up, down)
return {'counted', up, down, fell}
