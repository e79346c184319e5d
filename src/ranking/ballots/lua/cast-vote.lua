-- A member votes up or down: a first vote, a switch, or nothing new. For a vote that comes alone, which
-- is what `cast-votes` does for several, at less than half of its cost.
-- After a switch the opposite reaction may still be shown; it is then remembered as the older.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  scores       sorted set  the guild's ranking
-- KEYS[3]  interesting  sorted set
-- KEYS[4]  voterSets    prefix      of the voters that a row does not hold: member id, a minus for down
-- KEYS[5]  olderSets    prefix      of the members who show the opposite reaction as well
-- ARGV[1]  stays        '1' where the opposite reaction, if there is one, is still shown
-- ARGV[2]  article      snowflake
-- ARGV[3]  ballot       the member's id, with a minus in front for down
-- Also touches: the article's sets, <KEYS[4]><article> and <KEYS[5]><article>, and the score rankings of
-- its groups, <KEYS[2]>:<channel>.
-- Returns what `cast-votes` does for each vote: no array, which would cost as much as both rankings
local articles, scores, interesting = KEYS[1], KEYS[2], KEYS[3]
local voterSets, olderSets = KEYS[4], KEYS[5]
local stays, article, ballot = ARGV[1], ARGV[2], ARGV[3]
local call, find, byte, sub, char = redis.call, string.find, string.byte, string.sub, string.char
local pack, unpackBytes = struct.pack, struct.unpack

local found = call('HMGET', articles, article, 'mark')
local row, mark = found[1], tonumber(found[2]) or 200
if not row then return 'unknown' end
local status, up, down, upBefore, older, groups
repeat
  -- include cast
until true
if status ~= 'counted' then return status end

-- include seconds-of
-- include score
-- include rank
local seconds = secondsOf(article)
call('HSET', articles, article, row)
rank(scores, groups, article, scoreOf(seconds, mark, up - down))
if (up >= mark) ~= (upBefore >= mark) then
  -- include cross-mark
  crossMark(interesting, article, seconds, mark, row, upBefore, up)
end
return up * 134217728 + down * 2 + older
