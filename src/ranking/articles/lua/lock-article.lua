-- Stops the voting on an article, or opens it again. What was voted stays.
--
-- KEYS[1]  articles  hash  rows
-- ARGV[1]  article   snowflake
-- ARGV[2]  state     'k' to stop it, 'o' to open it
-- Returns {'changed'}
--         {'unchanged'}
--         {'unknown'}  no such article
--         {'closed'}   its votes are frozen
local articles = KEYS[1]
local article, state = ARGV[1], ARGV[2]

local row = redis.call('HGET', articles, article)
if not row then return {'unknown'} end
local before = string.sub(row, 9, 9)
if before == 'c' then return {'closed'} end
if before == state then return {'unchanged'} end
redis.call('HSET', articles, article, string.sub(row, 1, 8) .. state .. string.sub(row, 10))
return {'changed'}
