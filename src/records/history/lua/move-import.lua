-- Moves an import from one phase to another, once.
--
-- KEYS[1]  import  hash     the import
-- ARGV[1]  run     string   which import it must be
-- ARGV[2]  from    string   the phase it must be in
-- ARGV[3]  to      string
-- ARGV[4]  now     integer  ms
-- ARGV[5]  state   string   JSON: its plan and progress from now on; empty: as they are
-- Returns {'moved'}
--         {'stale'}  it is in another phase, or another import
local import = KEYS[1]
local run, from, to, now, state = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local found = redis.call('HMGET', import, 'run', 'phase')
if found[1] ~= run or found[2] ~= from then return {'stale'} end

redis.call('HSET', import, 'phase', to, 'at', now)
if state ~= '' then redis.call('HSET', import, 'state', state) end
return {'moved'}
