-- Takes what is kept of a member's vote out of a removed article, so that it does not come back with it.
-- The voters of a removed article are all in the set.
--
-- KEYS[1]  voters     set    member id, with a minus for down
-- KEYS[2]  older      set    members who show the opposite reaction as well
-- KEYS[3]  removed    hash   article -> 13 digits of when (ms), its row, a line feed, its text
-- ARGV[1]  article    snowflake
-- ARGV[2]  member     snowflake
-- Returns {'erased'}
--         {'unchanged'}  there was none
--         {'unknown'}    no removed article
local voters, older, removed = KEYS[1], KEYS[2], KEYS[3]
local article, member = ARGV[1], ARGV[2]

local kept = redis.call('HGET', removed, article)
if not kept then return {'unknown'} end

redis.call('SREM', older, member)
local up, down = redis.call('SREM', voters, member), redis.call('SREM', voters, '-' .. member)
if up + down > 0 then
  local ups, downs = struct.unpack('>I4I4', kept, 14)
  local tally = struct.pack('>I4I4', ups - up, downs - down)
  redis.call('HSET', removed, article, string.sub(kept, 1, 13) .. tally .. string.sub(kept, 22))
end
return {up + down > 0 and 'erased' or 'unchanged'}
