-- Changes the phase of a guild's import, unless it is in a phase from which that is not possible: the
-- process that runs it and a member who presses a button may do it at the same moment.
--
-- KEYS[1]   import  hash    field phase
-- ARGV[1]   next    string  the phase
-- ARGV[2..] from    string  the phases from which it is possible
-- Returns {'changed'}
--         {'stale'}  it is in another phase, or there is no import
local import = KEYS[1]
local next = ARGV[1]
local from = {unpack(ARGV, 2)}

local present = redis.call('HGET', import, 'phase')
for _, phase in ipairs(from) do
  if phase == present then
    redis.call('HSET', import, 'phase', next)
    return {'changed'}
  end
end
return {'stale'}
