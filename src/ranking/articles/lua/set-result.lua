-- Gives a closed article another result, and its ★ by the mark of now: an imported one is frozen by the
-- counts of its message first, and by the lists of who reacted later.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article  snowflake
-- ARGV[2]  up       up votes with the poster's own; empty: as they are
-- ARGV[3]  down     down votes; empty: as they are
-- Returns {'changed'}
--         {'unchanged'}
--         {'open'}     its voting is not closed
--         {'unknown'}  no such article
-- include guild-keys
-- include row
-- include rankings
local article, up, down = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local row, scale = readRow(articles, article)
if not row then return {'unknown'} end
if not row.closed then return {'open'} end
local before = formatRow(row)

row.up, row.down = up or row.up, down or row.down
closeRow(row, scale)
if formatRow(row) == before then return {'unchanged'} end
redis.call('HSET', articles, article, formatRow(row))
if row.state == 'c' then redis.call('ZREM', rankings.interesting, article) end
place(rankings, article, row, scale)
return {'changed'}
