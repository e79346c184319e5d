-- Changes votes in the given order: each is a first vote, a switch, a retraction, or no change.
--
-- KEYS         the guild's (see `guild-keys.include.lua`)
-- ARGV[1..] given       for each: article, member, change (see `change-vote`), and 'up', 'down' or
--                       'none'
-- Returns {'cast', reply, …}: for each vote one of
--   counted <up> <down> <vote> <older> <crossed>  the new tally, the member's vote, the older reaction
--                            ('none' unless both are shown), and 1 if the vote crossed the mark, or 0
--   unchanged <up> <down>    the member had this vote already
--   poster <up> <down>       the poster's vote is fixed
--   unknown                  no such article
--   closed                   its votes are frozen
--   locked                   its voting is stopped
-- include guild-keys
-- include row
-- include score
-- include tallies
-- include change-vote
local given = ARGV

local ids = {}
for n = 1, #given, 4 do ids[#ids + 1] = given[n] end
local rows, mark = readRows(articles, ids)

local outcomes, changed = {'cast'}, {}
for n = 1, #given, 4 do
  local article, member, change, direction = unpack(given, n, n + 3)
  local row = rows[article]
  local reply = refusalOf(row, member) or 'unchanged'
  if reply == 'unchanged' then
    local wasInteresting = isInteresting(row, mark)
    local vote, olderReaction =
      changeVote(voterSets, olderSets, article, row, member, change, direction)
    if vote then
      changed[article] = row
      local crossed = isInteresting(row, mark) ~= wasInteresting and '1' or '0'
      reply = 'counted ' .. row.up .. ' ' .. row.down .. ' '
        .. vote .. ' ' .. (olderReaction or 'none') .. ' ' .. crossed
    end
  end
  if reply == 'unchanged' or reply == 'poster' then reply = reply .. ' ' .. row.up .. ' ' .. row.down end
  outcomes[#outcomes + 1] = reply
end
saveTallies(articles, rankings, mark, changed)
return outcomes
