-- The voters of an open article. The first 32 stand in its row, behind the line feed that ends its
-- head, nine bytes each: the last nine digits of the member's id and the digits before them, as
-- little-endian integers of four and five bytes, with the highest bit set for down.
-- With more the row ends with its head, and the voters are a set of member ids, with a minus for down,
-- and stay one until all reactions are cleared. So are those of a removed article, and those of a row
-- that version 1 of the stored data wrote. An id fits no Lua number, but either part of it does.
local TOO_MANY_FOR_A_ROW = 33
local call, find, byte, sub, pack = redis.call, string.find, string.byte, string.sub, struct.pack

-- A member's eight first bytes, and the last, an up vote's.
local function packMember(member)
  local high = #member > 9 and sub(member, 1, -10) + 0 or 0
  local last = high < 4294967296 and 0 or math.floor(high / 4294967296)
  return pack('<I4I4', sub(member, -9), high - last * 4294967296), last
end

-- Heads end in letters, digits, - or _; votes in 0 to 4, for down in 128 to 132; no votes in the line feed.
local function holdsVoters(row)
  local last = byte(row, -1)
  return last <= 10 or last >= 128
end

-- Where a member's vote stands in a row, and its sign. Votes fill the row's end, so the distance from
-- it tells them from bytes of two that lie across; and no head has a last byte of a vote.
local function seekVote(row, bytes, last)
  local at = find(row, bytes, 9, true)
  while at do
    local found = (#row - at + 1) % 9 == 0 and byte(row, at + 8)
    if found == last then return at, '' elseif found == last + 128 then return at, '-' end
    at = find(row, bytes, at + 1, true)
  end
end

local function votesOf(row)
  local votes = {}
  for at = find(row, '\n', 9, true) + 1, #row, 9 do
    local low, high = struct.unpack('<I4I5', row, at)
    local sign = ''
    if high >= 549755813888 then sign, high = '-', high - 549755813888 end
    votes[#votes + 1] = sign .. (high > 0 and string.format('%d%09d', high, low) or string.format('%d', low))
  end
  return votes
end

-- Moves the voters from the row to the set where the row holds at least so many. Returns the row.
local function moveVoters(row, voters, least)
  -- Most rows are shorter than too many votes alone.
  if #row < least * 9 then return row end
  local endOfHead = find(row, '\n', 9, true)
  if not endOfHead or #row - endOfHead < least * 9 then return row end
  if #row > endOfHead then call('SADD', voters, unpack(votesOf(row))) end
  return sub(row, 1, endOfHead - 1)
end
