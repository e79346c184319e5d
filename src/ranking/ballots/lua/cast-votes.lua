-- Changes votes in the given order: each is a first vote, a switch, a retraction, or no change.
--
-- KEYS         the guild's (see `guild-keys.include.lua`)
-- ARGV[1..] ballots     for each: article, member, change (see `change-vote`), and 'up', 'down' or
--                       'none'
-- Returns {'cast', reply, …}: for each vote one of
--   counted <up> <down> <vote> <older> <crossed>  the new tally, the member's vote, the older reaction
--                            ('none' unless both are shown), and 1 if the vote crossed the mark, or 0
--   unchanged <up> <down>    the member's vote stays
--   repeated                 the member had added this reaction already
--   poster                   the poster's vote is fixed
--   unknown                  no such article
--   closed                   its votes are frozen
--   locked                   its voting is stopped
-- include guild-keys
-- include row
-- include tallies
-- include change-vote
local ballots = ARGV

local ids = {}
for n = 1, #ballots, 4 do ids[#ids + 1] = ballots[n] end
local stored, scale = readStored(articles, ids)
local rows, changed = {}, {}

local function cast(article, member, change, direction)
  local voters = voterSets .. article
  local before = voteOf(voters, member)
  -- Without the row this is half as much work. A locked or removed article answers it too.
  if change == 'show' and before == direction then return 'repeated' end
  local row = rows[article] or parseStored(stored[article], scale)
  rows[article] = row
  local refusal = refusalOf(row, member)
  if refusal then return refusal end
  local upBefore = row.up
  local older = olderSets .. article
  local vote, olderReaction = changeVote(voters, older, row, member, before, change, direction)
  if not vote then return 'unchanged ' .. tallyOf(row) end
  changed[article] = row
  local crossed = (row.up >= scale.mark) ~= (upBefore >= scale.mark) and '1' or '0'
  return 'counted ' .. tallyOf(row) .. ' ' .. vote .. ' ' .. (olderReaction or 'none') .. ' ' .. crossed
end

local outcomes = {'cast'}
for n = 1, #ballots, 4 do outcomes[#outcomes + 1] = cast(unpack(ballots, n, n + 3)) end
saveTallies(articles, rankings, scale, changed)
return outcomes
