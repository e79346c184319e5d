-- One vote on an article's row: a first one, a switch, or nothing new. Statements and no function,
-- since to make one costs a vote that comes alone a quarter of a microsecond, and what is rare is made
-- where it is needed; and as few strings as can be. Stands in a loop, which `break` leaves.
-- Reads `row`, `article`, `ballot` (the member, with a minus for down), `stays`, and the prefixes
-- `voterSets` and `olderSets`; and calls `call`, `find`, `byte`, `sub`, `char`, `pack`, `unpackBytes`.
-- Leaves `status`; where it is 'counted' also `row` as it is then, `up` and `down`, `upBefore`, `older`,
-- 1 where the opposite reaction is still shown, and `groups`.
-- What the bytes are stands in `voters.include`; 297 are the 33 votes that are too many for a row.
-- What cannot be an article's row must not stop the votes that come in the same script.
if #row < 11 then status = 'unknown' break end
local isDown = byte(ballot) == 45
local member = isDown and sub(ballot, 2) or ballot
local tail, bytes, last, place = byte(row, -1)
local isPacked = tail <= 10 or tail >= 128
if isPacked then
  local high = #member > 9 and sub(member, 1, -10) + 0 or 0
  last = high < 4294967296 and 0 or (high - high % 4294967296) / 4294967296
  bytes = pack('<I4I4', sub(member, -9), high - last * 4294967296)
  place = find(row, bytes, 9, true)
  local wasDown
  while place do
    local found = (#row - place + 1) % 9 == 0 and byte(row, place + 8)
    wasDown = found == last + 128
    if wasDown or found == last then break end
    place = find(row, bytes, place + 1, true)
  end
  if place and wasDown == isDown then status = 'unchanged' break end
end
local endOfGroups = find(row, ' ', 11, true)
if not endOfGroups then status = 'unknown' break end
local state, endOfMember = byte(row, 9), endOfGroups + #member
local isPosters = byte(row, endOfMember + 1) == 32
  and sub(row, endOfGroups + 1, endOfMember) == member
if state ~= 111 or isPosters then -- 111: 'o', open.
  status = state == 99 and 'closed' or state == 107 and 'locked' or isPosters and 'poster' or 'unknown'
  if status == 'locked' and not isPacked
    and call('SISMEMBER', voterSets .. article, ballot) == 1 then status = 'unchanged' end
  break
end

up, down = unpackBytes('>I4I4', row)
local switched = place ~= nil
if not isPacked then
  local voters = voterSets .. article
  if call('SADD', voters, ballot) == 0 then status = 'unchanged' break end
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
  if not isPacked then
    call('SREM', voterSets .. article, ballot)
    call('SADD', voterSets .. article, isDown and member or '-' .. member)
  end
  status = 'unchanged'
  break
end

local step = switched and 1 or 0
upBefore = up
if isDown then up, down = up - step, down + 1 else up, down = up + 1, down - step end
local tally = pack('>I4I4', up, down)
if not isPacked then
  row = tally .. sub(row, 9)
elseif place then
  row = tally .. sub(row, 9, place + 7) .. char(isDown and last + 128 or last) .. sub(row, place + 9)
else
  row = tally .. sub(row, 9) .. bytes .. char(isDown and last + 128 or last)
  -- Most rows are shorter than 33 votes alone.
  local endOfHead = #row >= 297 and find(row, '\n', 9, true)
  if endOfHead and #row - endOfHead >= 297 then
    -- include votes-of
    call('SADD', voterSets .. article, unpack(votesOf(row)))
    row = sub(row, 1, endOfHead - 1)
  end
end
older = switched and stays == '1' and 1 or 0
groups = sub(row, 11, endOfGroups - 1)
status = 'counted'
