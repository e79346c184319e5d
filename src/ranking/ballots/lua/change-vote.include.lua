-- Changes one member's vote in the set of voters and in the row's tally. `older` is the set of members
-- who show both reactions; their vote is the newer one. The changes:
--   show  the member added a reaction; it becomes the vote unless it was shown before
--   hide  a reaction was removed; the older one becomes the vote if it is still shown
--   set   the member shows this vote only; 'none' retracts it
--   both  the member shows this vote, and the opposite reaction as the older
-- Returns whether the tally changed, and if so the vote and whether the opposite reaction is shown too.
-- Redis calls: one for a reaction that is shown again; one for a first vote, two where other members
-- voted the opposite; three for a switch.
local function changeVote(voters, older, row, member, change, direction)
  if direction == 'none' then
    redis.call('SREM', older, member)
    local removed = redis.call('SREM', voters, member) == 1 and 'up'
      or redis.call('SREM', voters, '-' .. member) == 1 and 'down'
    if not removed then return false end
    row[removed] = row[removed] - 1
    return true, 'none', false
  end

  local opposite, ballot, oppositeBallot = 'down', member, '-' .. member
  if direction == 'down' then opposite, ballot, oppositeBallot = 'up', oppositeBallot, member end
  if change == 'hide' then
    local wasVote = redis.call('SREM', voters, ballot) == 1
    local hadBoth = redis.call('SREM', older, member) == 1
    if not wasVote then return false end
    row[direction] = row[direction] - 1
    if not hadBoth then return true, 'none', false end
    redis.call('SADD', voters, oppositeBallot)
    row[opposite] = row[opposite] + 1
    return true, opposite, false
  end

  local isNew = redis.call('SADD', voters, ballot) == 1
  -- The poster's up vote is not in the set.
  local opposed = opposite == 'up' and row.up - 1 or row.down
  local switched = isNew and opposed > 0 and redis.call('SREM', voters, oppositeBallot) == 1
  local both = change == 'both' or change == 'show' and switched
  if both and redis.call('SADD', older, member) == 0 and change == 'show' then
    -- Both were shown before, and the reaction is the older of them. So the vote stays as it was.
    redis.call('SREM', voters, ballot)
    redis.call('SADD', voters, oppositeBallot)
    return false
  end
  if change == 'set' and (switched or not isNew) then redis.call('SREM', older, member) end
  if not isNew then return false end
  row[direction] = row[direction] + 1
  if switched then row[opposite] = row[opposite] - 1 end
  return true, direction, both
end
