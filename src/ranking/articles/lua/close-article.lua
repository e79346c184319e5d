-- Freezes an article's votes, deletes its voters, and adds it to the rankings by votes.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article      snowflake
-- Returns {'closed'}
--         {'unchanged'}  it was closed already
--         {'unknown'}    no such article
-- include guild-keys
-- include row
-- include rankings
local article = ARGV[1]

local row, scale = readRow(articles, article)
if row and not row.closed then show(article) end
-- Also without a row: an id that damage left in `open` would be closed again and again.
redis.call('SREM', open, article)
-- A removed article keeps its voters, since the removal can be undone.
if not row then return {'unknown'} end
-- Also if it is closed: nobody would delete voters that damage left behind.
redis.call('UNLINK', voterSets .. article, olderSets .. article)
if row.closed then return {'unchanged'} end

closeRow(row, scale)
redis.call('HSET', articles, article, formatRow(row))
place(rankings, article, row, scale)
return {'closed'}
