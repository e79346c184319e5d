-- Changes the guild's interesting mark and starts a re-scoring of all its articles.
--
-- KEYS[1]  articles   hash    rows, and the guild's interesting mark
-- KEYS[2]  rescoring  string  the cursor of an unfinished re-scoring
-- ARGV[1]  mark       up votes
-- Returns {'changed'}
--         {'unchanged'}
-- include row
local articles, rescoring = KEYS[1], KEYS[2]
local mark = ARGV[1]

local _, before = readRows(articles, {})
-- Written even if it is the default: a stored mark is the guild's own, which no later start replaces.
redis.call('HSET', articles, 'mark', mark)
if before == tonumber(mark) then return {'unchanged'} end
redis.call('SET', rescoring, '0')
return {'changed'}
