-- A member's vote does not count: what is known of it moves to the votes that do not count, with the
-- reason. What the member shows is still remembered, so that the vote can count later.
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
-- ARGV[4]  shown        u or d: what the member shows now as well; '' where nothing is new
-- ARGV[5]  exactly      '1' where `shown`, of up to two letters, is all that the member shows
-- ARGV[6]  why          '<reason> <until> <joined>', times in milliseconds
-- Also touches: the score rankings of the article's groups, <KEYS[4]>:<channel>.
-- Returns {'counted', up, down}: the tally without the vote
--         {'unchanged'}  the tally is as it was
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
local uncounted = KEYS[6]
local article, member, seconds = ARGV[1], ARGV[2], tonumber(ARGV[3])
local shown, exactly, why = ARGV[4], ARGV[5], ARGV[6]

local found = redis.call('HMGET', articles, article, 'mark')
local row, mark = found[1], tonumber(found[2]) or 200
if not row then return {'unknown'} end
local up, down = struct.unpack('>I4I4', row)
local state, groups, poster = string.match(row, '^(%l)%l(%S+) (%d+)', 9)
if state == 'c' then return {'closed'} end
if state == 'k' then return {'locked'} end
if poster == member then return {'poster'} end

local entry = redis.call('HGET', uncounted, member)
local shows = entry and string.match(entry, '^%l+') or ''
local votesUp, votesDown = readVote(row, voters, member)
local upBefore, counted = up, votesUp + votesDown > 0
if counted then
  shows = votesUp == 1 and 'u' or 'd'
  if redis.call('SREM', older, member) == 1 then shows = (shows == 'u' and 'd' or 'u') .. shows end
  row = dropVote(row, voters, member, votesUp == 1 and '' or '-')
  up, down = up - votesUp, down - votesDown
end
if exactly == '1' then
  shows = shown
elseif shown ~= '' and not string.find(shows, shown, 1, true) then
  shows = shows .. shown
end
if shows == '' then
  redis.call('HDEL', uncounted, member)
else
  redis.call('HSET', uncounted, member, shows .. ' ' .. why)
end
if not counted then return {'unchanged'} end
saveTally(articles, scores, interesting, article, seconds, mark, row, groups, upBefore, up, down)
return {'counted', up, down}
