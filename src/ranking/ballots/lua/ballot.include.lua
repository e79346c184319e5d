-- One member's vote, wherever the article's voters are. Up and down are 1 for the vote, else 0.
local function readVote(row, voters, member)
  if not holdsVoters(row) then
    local votes = redis.call('SMISMEMBER', voters, member, '-' .. member)
    return votes[1], votes[2]
  end
  local _, sign = seekVote(row, packMember(member))
  return sign == '' and 1 or 0, sign == '-' and 1 or 0
end

-- Adds a vote that is not there. Returns the row.
local function addVote(row, voters, member, sign)
  if not holdsVoters(row) then
    redis.call('SADD', voters, sign .. member)
    return row
  end
  local bytes, last = packMember(member)
  if sign == '-' then last = last + 128 end
  return moveVoters(row .. bytes .. string.char(last), voters, TOO_MANY_FOR_A_ROW)
end

-- Returns the row, and whether the vote was there.
local function dropVote(row, voters, member, sign)
  if not holdsVoters(row) then return row, redis.call('SREM', voters, sign .. member) == 1 end
  local at, found = seekVote(row, packMember(member))
  if found ~= sign then return row, false end
  return string.sub(row, 1, at - 1) .. string.sub(row, at + 9), true
end

-- All votes: member ids, with a minus for down.
local function readVotes(row, voters)
  if not holdsVoters(row) then return redis.call('SMEMBERS', voters) end
  return votesOf(row)
end

-- The row of an article that nobody has voted on.
local function withoutVotes(row)
  return string.sub(row, 1, (string.find(row, '\n', 9, true) or 0) - 1) .. '\n'
end
