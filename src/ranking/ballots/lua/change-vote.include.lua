local oppositeOf = { up = 'down', down = 'up' }

-- The vote after a change, and whether the other reaction is shown as the older one. The changes:
--   show       the member added a reaction; adding what is shown already changes nothing
--   hide       a reaction was removed; if the older one is still shown, it becomes the vote
--   set        the member shows this vote only; 'none' retracts it
--   set-newer  the member shows both reactions, and this is the newer one
local function nextVote(before, showsOlder, change, direction)
  if change == 'set' then return direction, false end
  if change == 'set-newer' then return direction, true end
  if change == 'show' then
    if before == direction or showsOlder then return before, showsOlder end
    return direction, before ~= 'none'
  end
  if before ~= direction then return before, false end
  return showsOlder and oppositeOf[direction] or 'none', false
end

-- Changes one member's vote in `voters`, which has the members' votes, in `older`, which has the members
-- who show both reactions, and in the row's tally. Returns nil if the vote stays; otherwise the vote, and
-- the older reaction if both are shown.
local function changeVote(voters, older, row, member, change, direction)
  local upBallot, downBallot = member, '-' .. member
  local found = redis.call('SMISMEMBER', voters, upBallot, downBallot)
  local before = found[1] == 1 and 'up' or found[2] == 1 and 'down' or 'none'
  local showedOlder = before ~= 'none' and redis.call('SISMEMBER', older, member) == 1
  local vote, showsOlder = nextVote(before, showedOlder, change, direction)
  if showsOlder ~= showedOlder then redis.call(showsOlder and 'SADD' or 'SREM', older, member) end
  if vote == before then return nil end
  if before ~= 'none' then
    redis.call('SREM', voters, before == 'up' and upBallot or downBallot)
    row[before] = row[before] - 1
  end
  if vote ~= 'none' then
    redis.call('SADD', voters, vote == 'up' and upBallot or downBallot)
    row[vote] = row[vote] + 1
  end
  return vote, showsOlder and oppositeOf[vote] or nil
end
