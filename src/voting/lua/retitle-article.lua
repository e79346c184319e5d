-- Gives an article another title.
--
-- KEYS[1]  articles  hash  rows
-- ARGV[1]  article   snowflake
-- ARGV[2]  title     one line
-- Returns {'retitled'}
--         {'unchanged'}  that is its title
--         {'unknown'}    no such article
local articles = KEYS[1]
local article, title = ARGV[1], ARGV[2]

local row = redis.call('HGET', articles, article)
if not row then return {'unknown'} end
-- The tally's bytes may hold a line feed; the title follows the second behind them.
local _, endOfText = string.find(row, '\n', 9, true)
local _, endOfLink = string.find(row, '\n', endOfText + 1, true)
if string.sub(row, endOfLink + 1) == title then return {'unchanged'} end
redis.call('HSET', articles, article, string.sub(row, 1, endOfLink) .. title)
return {'retitled'}
