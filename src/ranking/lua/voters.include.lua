-- The voters of an open article. The first 32 stand in its row, behind the line feed that ends its
-- head, nine bytes each: the last nine digits of the member's id and the digits before them, as
-- little-endian integers of four and five bytes, with the highest bit set for down.
-- With more the row ends with its head, and the voters are a set of member ids, with a minus for down,
-- and stay one until all reactions are cleared. So are those of a removed article, and those of a row
-- that version 1 of the stored data wrote. An id fits no Lua number, but either part of it does.
-- `cast.include` has the same once more as statements.
local TOO_MANY_FOR_A_ROW = 33

-- A member's eight first bytes, and the last, an up vote's.
local function packMember(member)
  local high = #member > 9 and string.sub(member, 1, -10) + 0 or 0
  local last = high < 4294967296 and 0 or math.floor(high / 4294967296)
  return struct.pack('<I4I4', string.sub(member, -9), high - last * 4294967296), last
end

-- Heads end in letters, digits, - or _; votes in 0 to 4, for down in 128 to 132; no votes in the line feed.
local function holdsVoters(row)
  local last = string.byte(row, -1)
  return last <= 10 or last >= 128
end

-- Where a member's vote stands in a row, and its sign. Votes fill the row's end, so the distance from
-- it tells them from bytes of two that lie across; and no head has a last byte of a vote.
local function seekVote(row, bytes, last)
  local at = string.find(row, bytes, 9, true)
  while at do
    local found = (#row - at + 1) % 9 == 0 and string.byte(row, at + 8)
    if found == last then return at, '' elseif found == last + 128 then return at, '-' end
    at = string.find(row, bytes, at + 1, true)
  end
end

-- include votes-of
-- Moves the voters from the row to the set where the row holds at least so many. Returns the row.
local function moveVoters(row, voters, least)
  -- Most rows are shorter than too many votes alone.
  if #row < least * 9 then return row end
  local endOfHead = string.find(row, '\n', 9, true)
  if not endOfHead or #row - endOfHead < least * 9 then return row end
  if #row > endOfHead then redis.call('SADD', voters, unpack(votesOf(row))) end
  return string.sub(row, 1, endOfHead - 1)
end
