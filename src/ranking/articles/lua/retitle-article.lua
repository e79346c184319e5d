-- Gives an article another title.
--
-- KEYS[1]  texts    hash  article -> link, title and comment
-- ARGV[1]  article  snowflake
-- ARGV[2]  title    one line
-- ARGV[3]  from     the title that is replaced and no other; empty: whatever it is
-- Returns {'retitled'}
--         {'unchanged'}  that is its title, or its title is not the one to replace
--         {'unknown'}    no such article
local texts = KEYS[1]
local article, title, from = ARGV[1], ARGV[2], ARGV[3]

local text = redis.call('HGET', texts, article)
if not text then return {'unknown'} end
local endOfLink = string.find(text, '\n', 1, true)
local old, comment = string.match(text, '^([^\n]*)(.*)$', endOfLink + 1)
if old == title or (from ~= '' and old ~= from) then return {'unchanged'} end
redis.call('HSET', texts, article, string.sub(text, 1, endOfLink) .. title .. comment)
return {'retitled'}
