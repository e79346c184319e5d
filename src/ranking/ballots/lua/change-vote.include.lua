-- A member's reactions after a change. `vote` is 'up', 'down' or 'none'; `both`: the opposite reaction
-- is shown as well, and is the older one. The changes:
--   show  the member added a reaction; it becomes the vote unless it was shown before
--   hide  a reaction was removed; the older one becomes the vote if it is still shown
--   set   the member shows this vote only
--   both  the member shows this vote, and the opposite reaction as the older
local function shownAfter(change, direction, vote, both)
  if change == 'set' then return direction, false end
  if change == 'both' then return direction, true end
  if change == 'show' then
    if vote == direction or both then return vote, both end
    return direction, vote ~= 'none'
  end
  if vote ~= direction then return vote, false end
  return both and (vote == 'up' and 'down' or 'up') or 'none', false
end

-- Changes one member's vote in the set of voters and in the row's tally. Returns whether the tally
-- changed, the vote, and whether the opposite reaction is shown as well.
-- Redis calls: one for a known vote, two for a first vote, five for a switch.
local function changeVote(voters, older, row, member, change, direction)
  local minus = '-' .. member
  local found = redis.call('SMISMEMBER', voters, member, minus)
  local before = found[1] == 1 and 'up' or found[2] == 1 and 'down' or 'none'
  if change == 'show' and before == direction then return false, before, false end
  local bothBefore = before ~= 'none' and redis.call('SISMEMBER', older, member) == 1

  local vote, both = shownAfter(change, direction, before, bothBefore)
  if both and not bothBefore then redis.call('SADD', older, member) end
  if bothBefore and not both then redis.call('SREM', older, member) end
  if vote == before then return false, vote, both end
  if before ~= 'none' then
    redis.call('SREM', voters, before == 'up' and member or minus)
    row[before] = row[before] - 1
  end
  if vote ~= 'none' then
    redis.call('SADD', voters, vote == 'up' and member or minus)
    row[vote] = row[vote] + 1
  end
  return true, vote, both
end
