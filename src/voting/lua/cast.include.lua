-- One vote on an article's row: a first one, a switch, or nothing new. `ballot` is the member, with a
-- minus for down. Returns the status; where it is 'counted' also the row as it is then, up and down
-- as they are then, the up votes before, 1 where the opposite reaction is still shown, and the groups.
-- Every vote comes by here: it makes as few strings as it can, and matches no pattern.
-- Needs the voters.
local function cast(row, voterSets, olderSets, stays, article, ballot)
  -- What cannot be an article's row must not stop the votes that come in the same script.
  if #row < 11 then return 'unknown' end
  local isDown = byte(ballot) == 45
  local member = isDown and sub(ballot, 2) or ballot
  local packed, bytes, last, place, sign = holdsVoters(row)
  if packed then
    bytes, last = packMember(member)
    place, sign = seekVote(row, bytes, last)
    if place and (sign == '-') == isDown then return 'unchanged' end
  end
  local endOfGroups = find(row, ' ', 11, true)
  if not endOfGroups then return 'unknown' end
  local state, endOfMember = byte(row, 9), endOfGroups + #member
  local isPosters = byte(row, endOfMember + 1) == 32
    and sub(row, endOfGroups + 1, endOfMember) == member
  if state ~= 111 or isPosters then -- 111: 'o', open.
    if state == 107 and not packed -- 'k', locked
      and call('SISMEMBER', voterSets .. article, ballot) == 1 then return 'unchanged' end
    return state == 99 and 'closed' or state == 107 and 'locked' or isPosters and 'poster' or 'unknown'
  end

  local up, down = struct.unpack('>I4I4', row)
  local switched = place ~= nil
  if not packed then
    local voters = voterSets .. article
    if call('SADD', voters, ballot) == 0 then return 'unchanged' end
    -- The first up vote is the poster's, who is not among the voters.
    if isDown and up > 1 then
      switched = call('SREM', voters, member) == 1
    elseif not isDown and down > 0 then
      switched = call('SREM', voters, '-' .. member) == 1
    end
  end
  if switched and stays ~= '1' then
    call('SREM', olderSets .. article, member)
  elseif switched and call('SADD', olderSets .. article, member) == 0 then
    -- Both were shown already, the opposite being the newer: nothing was added.
    if not packed then
      call('SREM', voterSets .. article, ballot)
      call('SADD', voterSets .. article, isDown and member or '-' .. member)
    end
    return 'unchanged'
  end

  local upBefore, step = up, switched and 1 or 0
  if isDown then up, down = up - step, down + 1 else up, down = up + 1, down - step end
  local tally = pack('>I4I4', up, down)
  if not packed then
    row = tally .. sub(row, 9)
  else
    local signed = string.char(isDown and last + 128 or last)
    if place then
      row = tally .. sub(row, 9, place + 7) .. signed .. sub(row, place + 9)
    else
      row = tally .. sub(row, 9) .. bytes .. signed
      row = moveVoters(row, voterSets .. article, TOO_MANY_FOR_A_ROW)
    end
  end
  local older = switched and stays == '1' and 1 or 0
  return 'counted', row, up, down, upBefore, older, sub(row, 11, endOfGroups - 1)
end
