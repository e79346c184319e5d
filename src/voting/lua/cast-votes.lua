-- Members vote up or down: each vote, in the order given, is a first one, a switch, or nothing new.
-- After a switch the opposite reaction may still be shown; it is then remembered as the older.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  scores       sorted set  the guild's ranking
-- KEYS[3]  interesting  sorted set
-- KEYS[4]  voterSets    prefix      of the voters of a crowded article: member id, a minus for down
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
local articles, scores, interesting = KEYS[1], KEYS[2], KEYS[3]
local voterSets, olderSets = KEYS[4], KEYS[5]
local stays, votes = ARGV[1], { unpack(ARGV, 2) }

local fields = {'mark'}
for i = 1, #votes, 4 do fields[#fields + 1] = votes[i] end
local rows = redis.call('HMGET', articles, unpack(fields))
local mark = tonumber(rows[1] or 200)

-- What a crowded article's set and the sets of older reactions hold is written vote by vote; rows and
-- rankings once for each article at the end, however many votes it got.
local changed, replies = {}, {'cast', rows[1] or '200'}
local find, sub, match, pack = string.find, string.sub, string.match, struct.pack

-- The member has not voted so. `opposed` is where the row has the opposite vote. Returns the status and
-- the new tally.
local function count(row, seconds, article, member, sign, mine, opposed)
  local up, down = struct.unpack('>I4I4', row)
  local state, listed, groups, poster = match(row, '^(%l)(%l)(%S+) (%d+)', 9)
  if state ~= 'o' or poster == member then
    if not mine then redis.call('SREM', voterSets .. article, sign .. member) end
    return state == 'c' and 'closed' or state == 'k' and 'locked' or 'poster'
  end
  local upBefore, opposite, switched = up, sign == '' and '-' or '', opposed ~= nil
  -- The first up vote is the poster's, who is not among the voters.
  if not mine and (sign == '' and down > 0 or sign == '-' and up > 1) then
    switched = redis.call('SREM', voterSets .. article, opposite .. member) == 1
  end
  if switched and stays ~= '1' then
    redis.call('SREM', olderSets .. article, member)
  elseif switched and redis.call('SADD', olderSets .. article, member) == 0 then
    -- Both were shown already, the opposite being the newer: nothing was added.
    if not mine then
      redis.call('SREM', voterSets .. article, sign .. member)
      redis.call('SADD', voterSets .. article, opposite .. member)
    end
    return 'unchanged'
  end
  local step = switched and 1 or 0
  if sign == '' then up, down = up + 1, down - step else up, down = up - step, down + 1 end
  if not mine then
    row = pack('>I4I4', up, down) .. sub(row, 9)
  elseif opposed then
    row = pack('>I4I4', up, down) .. sub(row, 9, opposed - 1) .. mine .. sub(row, opposed + 9)
  else
    row = crowdIfMany(pack('>I4I4', up, down) .. sub(row, 9) .. mine, voterSets .. article)
  end
  changed[article] = { row, seconds + 86400 / mark * (up - down), groups }
  if up >= mark and upBefore < mark and listed == 'l' then
    redis.call('ZADD', interesting, seconds, article)
  elseif up < mark and upBefore >= mark then
    redis.call('ZREM', interesting, article)
  end
  return 'counted', up, down, switched and stays == '1' and 1 or 0
end

for i = 1, #votes, 4 do
  local article, seconds, member, sign = votes[i], tonumber(votes[i + 1]), votes[i + 2], votes[i + 3]
  local row = changed[article] and changed[article][1] or rows[(i + 7) / 4]
  local status, up, down, older, mine, opposed, found
  if not row then
    status = 'unknown'
  elseif isCrowded(row) then
    -- A write before the guards: SADD tells a repeated vote, the most frequent event, in one call, and
    -- what the guards refuse is taken back, which cannot fail for want of memory.
    if redis.call('SADD', voterSets .. article, sign .. member) == 0 then status = 'unchanged' end
  else
    mine = packVote(member, sign)
    opposed, found = seekVote(row, mine)
    if found == sign then status = 'unchanged' end
  end
  if not status then
    status, up, down, older = count(row, seconds, article, member, sign, mine, opposed)
  end
  local at = #replies
  replies[at + 1], replies[at + 2], replies[at + 3], replies[at + 4] = status, up or 0, down or 0, older or 0
end

if not next(changed) then return replies end
local writes, places, placesIn = {}, {}, {}
local function enter(group, score, article)
  local inGroup = placesIn[group]
  if inGroup then
    inGroup[#inGroup + 1], inGroup[#inGroup + 2] = score, article
  else
    placesIn[group] = { score, article }
  end
end
for article, change in pairs(changed) do
  local score, groups, at = change[2], change[3], #writes
  -- Formatted once, and as an integer where it is one, which costs half as much.
  score = string.format(score % 1 == 0 and '%d' or '%.17g', score)
  writes[at + 1], writes[at + 2] = article, change[1]
  places[at + 1], places[at + 2] = score, article
  if find(groups, ',', 1, true) then
    for group in string.gmatch(groups, '%d+') do enter(group, score, article) end
  else
    enter(groups, score, article)
  end
end
redis.call('HSET', articles, unpack(writes))
-- A ranking is moved only where the article stands already (XX): who is listed is decided elsewhere.
redis.call('ZADD', scores, 'XX', unpack(places))
for group, inGroup in pairs(placesIn) do
  redis.call('ZADD', scores .. ':' .. group, 'XX', unpack(inGroup))
end
return replies
