-- Clears all votes of an article but the poster's.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  scores       sorted set  the guild's ranking
-- KEYS[3]  interesting  sorted set
-- KEYS[4]  voters       set         member id, with a minus for down
-- KEYS[5]  older        set         members who show the opposite reaction as well
-- ARGV[1]  article      snowflake
-- ARGV[2]  seconds      the article's post time
-- Also touches: the score rankings of the article's groups, <KEYS[2]>:<channel>.
-- Returns {'counted', up, down}
--         {'unchanged'}
--         {'unknown'}  no such article
--         {'closed'}   its votes are frozen
--         {'locked'}   its voting is stopped
-- include row
-- include score
-- include tallies
local articles, scores, interesting, voters, older = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local article, seconds = ARGV[1], ARGV[2]

local rows, mark = readRows(articles, {article})
local row = rows[article]
local refusal = refusalOf(row)
if refusal then return {refusal} end

redis.call('UNLINK', voters, older)
local upBefore = row.up
if row.up == 1 and row.down == 0 then return {'unchanged'} end
row.up, row.down = 1, 0
saveTallies(articles, scores, interesting, mark, {
  [article] = { row = row, seconds = seconds, upBefore = upBefore },
})
return {'counted', row.up, row.down}
