-- The voters of an open article. The first 32 stand in its row, behind the line feed that ends its
-- head, nine bytes each: the last nine digits of the member's id and the digits before them, as
-- little-endian integers of four and five bytes, with the highest bit set for down.
-- With more the article is crowded: its row ends with its head, and the voters are a set of member
-- ids, with a minus for down. An id fits no Lua number, but either part of it does.

-- A member's eight first bytes, and the last, an up vote's.
local function packMember(member)
  local high = tonumber(string.sub(member, 1, -10)) or 0
  local last = high < 4294967296 and 0 or math.floor(high / 4294967296)
  return struct.pack('<I4I4', tonumber(string.sub(member, -9)), high - last * 4294967296), last
end

-- A head ends in a letter or digit; votes end in 0 to 4, for down in 128 to 132.
local function isCrowded(row)
  local last = string.byte(row, -1)
  return last > 10 and last < 128
end

-- Where a member's vote stands in a row, and its sign. Votes fill the row's end, so the distance from
-- it tells them from bytes of two that lie across.
local function seekVote(row, bytes, last)
  local at = string.find(row, bytes, 9, true)
  while at do
    local found = (#row - at + 1) % 9 == 0 and string.byte(row, at + 8)
    if found == last then return at, '' elseif found == last + 128 then return at, '-' end
    at = string.find(row, bytes, at + 1, true)
  end
end

local function votesOf(row)
  local votes = {}
  for at = string.find(row, '\n', 9, true) + 1, #row, 9 do
    local low, high = struct.unpack('<I4I5', row, at)
    local sign = ''
    if high >= 549755813888 then sign, high = '-', high - 549755813888 end
    votes[#votes + 1] = sign .. (high > 0 and string.format('%d%09d', high, low) or string.format('%d', low))
  end
  return votes
end

-- Moves the voters from the row to the set, where there are more of them than `most`. Returns the row.
local function crowd(row, voters, most)
  local endOfHead = string.find(row, '\n', 9, true)
  if not endOfHead or #row - endOfHead <= most * 9 then return row end
  local votes = votesOf(row)
  if #votes > 0 then redis.call('SADD', voters, unpack(votes)) end
  return string.sub(row, 1, endOfHead - 1)
end
