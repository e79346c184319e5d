-- Changes votes in the given order: each is a first vote, a switch, a retraction, or no change.
--
-- KEYS         the guild's (see `guild-keys.include.lua`)
-- ARGV[1..] given       for each: article, its post time in seconds, member, change (see
--                       `change-vote`), and 'up', 'down' or 'none'
-- Returns {'cast', reply, …}: for each vote one of
--   <up> <down> <vote>       counted: the new tally and the member's vote; if both reactions are
--                            shown, a space and the older one follow
--   unchanged                the member had this vote already
--   unknown                  no such article
--   closed                   its votes are frozen
--   locked                   its voting is stopped
--   poster                   the poster's vote is fixed
-- include guild-keys
-- include row
-- include score
-- include tallies
-- include change-vote
local given = ARGV

local ids = {}
for n = 1, #given, 5 do ids[#ids + 1] = given[n] end
local rows, mark = readRows(articles, ids)

local replies, changed = {'cast'}, {}
for n = 1, #given, 5 do
  local article, seconds, member, change, direction = unpack(given, n, n + 4)
  local row = rows[article]
  local reply = refusalOf(row, member)
  if not reply then
    local upBefore = row.up
    local vote, olderReaction =
      changeVote(voterSets .. article, olderSets .. article, row, member, change, direction)
    if vote then
      changed[article] = changed[article] or { row = row, seconds = seconds, upBefore = upBefore }
      reply = row.up .. ' ' .. row.down .. ' ' .. vote .. (olderReaction and ' ' .. olderReaction or '')
    end
  end
  replies[#replies + 1] = reply or 'unchanged'
end
saveTallies(articles, rankings, mark, changed)
return replies
