-- Clears all votes of an article but the poster's.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article      snowflake
-- Returns {'counted'}
--         {'unchanged'}
--         {'unknown'}  no such article
--         {'closed'}   its votes are frozen
--         {'locked'}   its voting is stopped
-- include guild-keys
-- include row
-- include tallies
local article = ARGV[1]

local row, scale = readRow(articles, article)
local refusal = refusalOf(row)
if refusal then return {refusal} end

redis.call('UNLINK', voterSets .. article, olderSets .. article)
if row.up == 1 and row.down == 0 then return {'unchanged'} end
row.up, row.down = 1, 0
saveTallies(articles, rankings, scale, { [article] = row })
return {'counted'}
