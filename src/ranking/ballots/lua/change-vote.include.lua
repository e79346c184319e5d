-- Changes one member's vote. `voters` has the members' votes; `older` has the members who show both
-- reactions, and their vote is the newer one.
-- Each change is a function that corrects `older`. It gets the vote before and the direction given, and
-- returns the vote after and, if both reactions are shown then, the older one.
local oppositeOf = { up = 'down', down = 'up' }
local changes = {}

-- The member added a reaction. Adding what is shown already changes nothing.
function changes.show(older, member, before, direction)
  if before == direction then return before end
  if before == 'none' then return direction end
  local isShownAsOlder = redis.call('SADD', older, member) == 0
  if isShownAsOlder then return before end
  return direction, before
end

-- A reaction was removed. If the older one is still shown, it becomes the vote.
function changes.hide(older, member, before, direction)
  if before == 'none' then return before end
  local showedBoth = redis.call('SREM', older, member) == 1
  if before ~= direction then return before end
  return showedBoth and oppositeOf[direction] or 'none'
end

-- The member shows this vote only; 'none' retracts it.
function changes.set(older, member, before, direction)
  if before ~= 'none' then redis.call('SREM', older, member) end
  return direction
end

-- The member shows both reactions, and this is the newer one.
changes['set-newer'] = function(older, member, _, direction)
  redis.call('SADD', older, member)
  return direction, oppositeOf[direction]
end

-- Makes a change in the sets and in the row's tally. Returns nil if the vote stays; otherwise the vote,
-- and the older reaction if both are shown.
local function changeVote(voters, older, row, member, change, direction)
  local upBallot, downBallot = member, '-' .. member
  local found = redis.call('SMISMEMBER', voters, upBallot, downBallot)
  local before = found[1] == 1 and 'up' or found[2] == 1 and 'down' or 'none'
  local vote, olderReaction = changes[change](older, member, before, direction)
  if vote == before then return nil end
  if before ~= 'none' then
    redis.call('SREM', voters, before == 'up' and upBallot or downBallot)
    row[before] = row[before] - 1
  end
  if vote ~= 'none' then
    redis.call('SADD', voters, vote == 'up' and upBallot or downBallot)
    row[vote] = row[vote] + 1
  end
  return vote, olderReaction
end
