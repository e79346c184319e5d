-- Freezes an article's votes, deletes its voters, and adds it to the rankings by votes.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  open         set         articles whose voting is not closed
-- KEYS[3]  interesting  sorted set
-- KEYS[4]  scores       sorted set  the guild's ranking by score
-- KEYS[5]  times        sorted set  the guild's ranking by post time
-- KEYS[6]  votes        sorted set  the guild's closed articles by net votes
-- KEYS[7]  voters       set         the article's voters
-- KEYS[8]  older        set         its voters with both reactions
-- ARGV[1]  article      snowflake
-- ARGV[2]  seconds      the article's post time
-- Also touches: the same rankings of the article's groups, each key followed by :<channel>.
-- Returns {'closed', up, down}
--         {'unchanged', up, down}  it was closed already
--         {'unknown'}              no such article
-- include row
-- include score
-- include places
local articles, open = KEYS[1], KEYS[2]
local rankings = { interesting = KEYS[3], scores = KEYS[4], times = KEYS[5], votes = KEYS[6] }
local voters, older = KEYS[7], KEYS[8]
local article, seconds = ARGV[1], ARGV[2]

local rows, mark = readRows(articles, {article})
local row = rows[article]
-- Also without a row: an id that damage left in `open` would be closed again and again.
redis.call('SREM', open, article)
-- A removed article keeps its voters, since the removal can be undone.
if not row then return {'unknown'} end
-- Also if it is closed: nobody would delete voters that damage left behind.
redis.call('UNLINK', voters, older)
if row.closed then return {'unchanged', row.up, row.down} end

closeRow(row, mark)
redis.call('HSET', articles, article, formatRow(row))
place(rankings, article, row, seconds, mark)
return {'closed', row.up, row.down}
