-- Freezes an article's votes and deletes its voters.
--
-- KEYS[1]  articles  hash        rows
-- KEYS[2]  open      sorted set  articles whose voting is not closed
-- KEYS[3]  voters    set         the article's voters
-- KEYS[4]  older     set         its voters who show both reactions
-- ARGV[1]  article   snowflake
-- Returns {'closed', up, down}
--         {'unchanged', up, down}  it was closed already
--         {'unknown'}              no such article
local articles, open, voters, older = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local article = ARGV[1]

local row = redis.call('HGET', articles, article)
redis.call('ZREM', open, article)
redis.call('UNLINK', voters, older)
if not row then return {'unknown'} end
local up, down, at = struct.unpack('>I4I4', row)
if string.sub(row, at, at) == 'c' then return {'unchanged', up, down} end
redis.call('HSET', articles, article, string.sub(row, 1, at - 1) .. 'c' .. string.sub(row, at + 1))
return {'closed', up, down}
