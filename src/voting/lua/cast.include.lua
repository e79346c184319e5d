-- One vote on an article's row: a first one, a switch, or nothing new. Returns the status; where it is
-- 'counted' also the row with the voters as they are now, the new tally, which is not in the row yet,
-- 1 where the opposite reaction is still shown, and what the row says of the article.
local function cast(row, voterSets, olderSets, stays, article, member, sign)
  -- What cannot be an article's row must not stop the votes that come in the same script.
  if #row < 9 then return 'unknown' end
  local packed = holdsVoters(row)
  local bytes, last, place, found
  if packed then
    bytes, last = packMember(member)
    place, found = seekVote(row, bytes, last)
    if found == sign then return 'unchanged' end
  end
  local up, down = struct.unpack('>I4I4', row)
  local state, listed, groups, poster = string.match(row, '^(%l)(%l)(%S+) (%d+)', 9)
  if state ~= 'o' or poster == member then
    if state == 'k' and not packed
      and redis.call('SISMEMBER', voterSets .. article, sign .. member) == 1 then return 'unchanged' end
    return state == 'c' and 'closed' or state == 'k' and 'locked' or state and 'poster' or 'unknown'
  end
  local opposite, switched = sign == '' and '-' or '', place ~= nil
  if not packed then
    local voters = voterSets .. article
    if redis.call('SADD', voters, sign .. member) == 0 then return 'unchanged' end
    -- The first up vote is the poster's, who is not among the voters.
    if sign == '' and down > 0 or sign == '-' and up > 1 then
      switched = redis.call('SREM', voters, opposite .. member) == 1
    end
  end
  if switched and stays ~= '1' then
    redis.call('SREM', olderSets .. article, member)
  elseif switched and redis.call('SADD', olderSets .. article, member) == 0 then
    -- Both were shown already, the opposite being the newer: nothing was added.
    if not packed then
      redis.call('SREM', voterSets .. article, sign .. member)
      redis.call('SADD', voterSets .. article, opposite .. member)
    end
    return 'unchanged'
  end
  if packed then
    local byte = string.char(sign == '' and last or last + 128)
    if place then
      row = string.sub(row, 1, place + 7) .. byte .. string.sub(row, place + 9)
    else
      row = moveVotersIfMany(row .. bytes .. byte, voterSets .. article)
    end
  end
  local step = switched and 1 or 0
  local older = switched and stays == '1' and 1 or 0
  if sign == '' then return 'counted', row, up + 1, down - step, older, listed, groups, up end
  return 'counted', row, up - step, down + 1, older, listed, groups, up
end
