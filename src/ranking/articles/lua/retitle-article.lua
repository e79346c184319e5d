-- Gives an article another title.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article  snowflake
-- ARGV[2]  title    one line
-- ARGV[3]  from     replace only this title; empty: replace any title
-- Returns {'retitled'}
--         {'unchanged'}  it has this title already, or its title is not `from`
--         {'unknown'}    no such article
-- include guild-keys
local article, title, from = ARGV[1], ARGV[2], ARGV[3]

local text = redis.call('HGET', texts, article)
if not text then return {'unknown'} end
local endOfLink = string.find(text, '\n', 1, true)
local old, comment = string.match(text, '^([^\n]*)(.*)$', endOfLink + 1)
if old == title or (from ~= '' and old ~= from) then return {'unchanged'} end
redis.call('HSET', texts, article, string.sub(text, 1, endOfLink) .. title .. comment)
return {'retitled'}
