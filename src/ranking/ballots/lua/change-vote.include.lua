local oppositeOf = { up = 'down', down = 'up' }

-- The same in `voters.ts`. It only sweeps: closing deletes voters, unless the bot is off for good.
local VOTERS_KEPT_SECONDS = 5 * 7 * 86400

-- The vote after a change, and whether the other reaction is shown as the older one. The changes:
--   show       the member added a reaction other than the vote; if it is the older one, nothing changes
--   hide       a reaction was removed; if the older one is still shown, it becomes the vote
--   set        the member shows this vote only; 'none' retracts it
--   set-newer  the member shows both reactions, and this is the newer one
local function nextVote(before, showsOlder, change, direction)
  if change == 'set' then return direction, false end
  if change == 'set-newer' then return direction, true end
  if change == 'show' then
    if showsOlder then return before, true end
    return direction, before ~= 'none'
  end
  if before ~= direction then return before, false end
  return showsOlder and oppositeOf[direction] or 'none', false
end

local function ballotOf(vote, member) return vote == 'up' and member or '-' .. member end

local function voteOf(voters, member)
  local found = redis.call('SMISMEMBER', voters, member, '-' .. member)
  return found[1] == 1 and 'up' or found[2] == 1 and 'down' or 'none'
end

-- Changes one member's vote, which was `before`: in the article's sets of voters and of members who show
-- both reactions, and in the row's tally. Returns nil if the vote stays; otherwise the
-- vote, and the older reaction if both are shown.
local function changeVote(voters, older, row, member, before, change, direction)
  local showedOlder = before ~= 'none' and redis.call('SISMEMBER', older, member) == 1
  local vote, showsOlder = nextVote(before, showedOlder, change, direction)
  if showsOlder ~= showedOlder then
    redis.call(showsOlder and 'SADD' or 'SREM', older, member)
    if showsOlder then redis.call('EXPIRE', older, VOTERS_KEPT_SECONDS) end
  end
  if vote == before then return nil end
  if before ~= 'none' then
    redis.call('SREM', voters, ballotOf(before, member))
    row[before] = row[before] - 1
  end
  if vote ~= 'none' then
    redis.call('SADD', voters, ballotOf(vote, member))
    row[vote] = row[vote] + 1
    -- A set is new with its first voter, or where a recount, which sets votes, repairs damage.
    local isFirst = row.up + row.down == 2
    if isFirst or change == 'set' or change == 'set-newer' then
      redis.call('EXPIRE', voters, VOTERS_KEPT_SECONDS)
    end
  end
  return vote, showsOlder and oppositeOf[vote] or nil
end
