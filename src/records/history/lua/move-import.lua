-- Moves an import from one phase to another, once.
--
-- KEYS[1]  import  hash     the import
-- ARGV[1]  run     string   which import it must be
-- ARGV[2]  from    string   the phase it must be in
-- ARGV[3]  to      string
-- ARGV[4]  now     integer  ms
-- Returns {'moved'}
--         {'stale'}  it is in another phase, or another import
local import = KEYS[1]
local run, from, to, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local found = redis.call('HMGET', import, 'run', 'phase', 'counts')
if found[1] ~= run or found[2] ~= from then return {'stale'} end

redis.call('HSET', import, 'phase', to, 'at', now)
if to == 'running' then
  -- The import's progress is measured against the counts of the dry run.
  redis.call('HSET', import, 'found', found[3] or '{}')
  redis.call('HDEL', import, 'counts')
end
return {'moved'}
