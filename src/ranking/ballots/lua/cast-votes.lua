-- Members vote up or down: each vote, in the order given, is a first one, a switch, or nothing new.
-- After a switch the opposite reaction may still be shown; it is then remembered as the older.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  scores       sorted set  the guild's ranking
-- KEYS[3]  interesting  sorted set
-- KEYS[4]  voterSets    prefix      of the voters that a row does not hold: member id, a minus for down
-- KEYS[5]  olderSets    prefix      of the members who show the opposite reaction as well
-- ARGV[1]  stays        '1' where the opposite reactions, if there are any, are still shown
-- ARGV[2..] votes       article, and the member's id with a minus in front for down; and again
-- Also touches: the sets of the articles, <KEYS[4]><article> and <KEYS[5]><article>, and the score
-- rankings of their groups, <KEYS[2]>:<channel>.
-- Returns {'cast', …}: for each vote the article's tally with it, up × 2^27 + down × 2, and 1 more where
--              the opposite reaction is still shown (right up to 2^26 votes either way); or why it was
--              not counted, one of
--   unchanged  this was the vote already, also where voting is stopped, or its reaction is the older
--              of two
--   unknown    no such article
--   closed     its votes are frozen
--   locked     its voting is stopped
--   poster     the poster's own reactions do not count
-- include seconds-of
-- include score
-- include cross-mark
-- include enter
local articles, scores, interesting = KEYS[1], KEYS[2], KEYS[3]
local voterSets, olderSets = KEYS[4], KEYS[5]
local stays, votes = ARGV[1], { unpack(ARGV, 2) }
local call, find, byte, sub, char = redis.call, string.find, string.byte, string.sub, string.char
local pack, unpackBytes = struct.pack, struct.unpack

local fields, count = {'mark'}, #votes / 2
for n = 1, count do fields[n + 1] = votes[n * 2 - 1] end
local rows = call('HMGET', articles, unpack(fields))
local mark = tonumber(rows[1]) or 200

-- What the sets of voters and of older reactions hold is written vote by vote; rows and rankings once
-- for each article at the end, however many votes it got: `slots` says where it stands among them.
local slots, changed = {}, 0
local writes, nets, groupsOf, replies = {}, {}, {}, {'cast'}

for n = 1, count do
  local article, ballot = votes[n * 2 - 1], votes[n * 2]
  local slot = slots[article]
  local row = slot and writes[slot * 2] or rows[n + 1]
  local status, up, down, upBefore, older, groups = 'unknown'
  while row do
    -- include cast
    break
  end
  if status ~= 'counted' then
    replies[n + 1] = status
  else
    if not slot then
      changed = changed + 1
      slot, slots[article] = changed, changed
      writes[slot * 2 - 1], groupsOf[slot] = article, groups
    end
    writes[slot * 2], nets[slot] = row, up - down
    if (up >= mark) ~= (upBefore >= mark) then
      crossMark(interesting, article, secondsOf(article), mark, row, upBefore, up)
    end
    replies[n + 1] = up * 134217728 + down * 2 + older
  end
end

if changed == 0 then return replies end
local places, placesIn = {}, {}
for slot = 1, changed do
  local article, groups = writes[slot * 2 - 1], groupsOf[slot]
  local score = scoreOf(secondsOf(article), mark, nets[slot])
  places[slot * 2 - 1], places[slot * 2] = score, article
  if string.find(groups, ',', 1, true) then
    for group in string.gmatch(groups, '%d+') do enter(placesIn, group, score, article) end
  else
    enter(placesIn, groups, score, article)
  end
end
call('HSET', articles, unpack(writes))
-- A ranking is moved only where the article stands already (XX): who is listed is decided elsewhere.
call('ZADD', scores, 'XX', unpack(places))
for group, inGroup in pairs(placesIn) do
  call('ZADD', scores .. ':' .. group, 'XX', unpack(inGroup))
end
return replies
