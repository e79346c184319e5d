-- Members vote up or down: each vote, in the order given, is a first one, a switch, or nothing new.
-- After a switch the opposite reaction may still be shown; it is then remembered as the older.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  scores       sorted set  the guild's ranking
-- KEYS[3]  interesting  sorted set
-- KEYS[4]  voterSets    prefix      of the voters that a row does not hold: member id, a minus for down
-- KEYS[5]  olderSets    prefix      of the members who show the opposite reaction as well
-- ARGV[1]  stays        '1' where the opposite reaction, if there is one, is still shown
-- ARGV[2..] votes       article, its post time in seconds, member, '' for up or '-' for down; and again
-- Also touches: the sets of the articles, <KEYS[4]><article> and <KEYS[5]><article>, and the score
-- rankings of their groups, <KEYS[2]>:<channel>.
-- Returns {'cast', mark, status, up, down, older, status, …}: for each vote one of
--   counted    older is 1 where the opposite reaction is still shown
--   unchanged  this was the vote already, or its reaction is the older of two
--   unknown    no such article
--   closed     its votes are frozen
--   locked     its voting is stopped
--   poster     the poster's own reactions do not count
-- include voters
-- include cast
-- include score
-- include settle
-- include enter
local articles, scores, interesting = KEYS[1], KEYS[2], KEYS[3]
local voterSets, olderSets = KEYS[4], KEYS[5]
local stays, votes = ARGV[1], { unpack(ARGV, 2) }

local fields = {'mark'}
for i = 1, #votes, 4 do fields[#fields + 1] = votes[i] end
local rows = redis.call('HMGET', articles, unpack(fields))
local mark = tonumber(rows[1]) or 200

-- What the sets of voters and of older reactions hold is written vote by vote; rows and
-- rankings once for each article at the end, however many votes it got.
local changed, replies = {}, {'cast', mark}

for i = 1, #votes, 4 do
  local article, seconds, member, sign = votes[i], tonumber(votes[i + 1]), votes[i + 2], votes[i + 3]
  local row = changed[article] and changed[article][1] or rows[(i + 7) / 4]
  local status, rowAfter, up, down, older, listed, groups, upBefore = 'unknown'
  if row then
    status, rowAfter, up, down, older, listed, groups, upBefore =
      cast(row, voterSets, olderSets, stays, article, member, sign)
  end
  if status == 'counted' then
    row = struct.pack('>I4I4', up, down) .. string.sub(rowAfter, 9)
    changed[article] = { row, seconds, up - down, groups }
    crossMark(interesting, article, seconds, mark, listed, upBefore, up)
  end
  local at = #replies
  replies[at + 1], replies[at + 2], replies[at + 3], replies[at + 4] = status, up or 0, down or 0, older or 0
end

if not next(changed) then return replies end
local writes, places, placesIn = {}, {}, {}
for article, change in pairs(changed) do
  local score, groups, at = scoreOf(change[2], mark, change[3]), change[4], #writes
  writes[at + 1], writes[at + 2] = article, change[1]
  places[at + 1], places[at + 2] = score, article
  if string.find(groups, ',', 1, true) then
    for group in string.gmatch(groups, '%d+') do enter(placesIn, group, score, article) end
  else
    enter(placesIn, groups, score, article)
  end
end
redis.call('HSET', articles, unpack(writes))
-- A ranking is moved only where the article stands already (XX): who is listed is decided elsewhere.
redis.call('ZADD', scores, 'XX', unpack(places))
for group, inGroup in pairs(placesIn) do
  redis.call('ZADD', scores .. ':' .. group, 'XX', unpack(inGroup))
end
return replies
