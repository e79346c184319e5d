-- Notes until when a scan has read, unless an earlier time was wanted while it read.
--
-- KEYS[1]  scanned  string   see `stored-rebuilds.ts`
-- ARGV[1]  before   string   what was stored when the scan began; empty: nothing that can be read
-- ARGV[2]  untilMs  integer  when the scan began
-- Returns {'noted'}
--         {'changed'}  it is another time now
local scanned = KEYS[1]
local before, untilMs = ARGV[1], ARGV[2]

local present = redis.call('GET', scanned)
if not tonumber(present) then present = '' end
if present ~= before then return {'changed'} end

redis.call('SET', scanned, untilMs)
return {'noted'}
