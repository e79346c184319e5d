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
local link, old, comment = string.match(text or '', '^([^\n]*\n)([^\n]*)(.*)$')
if not link then return {'unknown'} end
if old == title or (from ~= '' and old ~= from) then return {'unchanged'} end
show(article)
indexSubject(article)
redis.call('HSET', texts, article, link .. title .. comment)
return {'retitled'}
