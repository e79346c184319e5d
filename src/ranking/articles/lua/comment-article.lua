-- Gives an article another comment of its poster.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article  snowflake
-- ARGV[2]  comment  of one or more lines; empty: none
-- Returns {'commented'}
--         {'unchanged'}  it has this comment already
--         {'unknown'}    no such article
-- include guild-keys
local article, comment = ARGV[1], ARGV[2]

local text = redis.call('HGET', texts, article)
local head, old = string.match(text or '', '^([^\n]*\n[^\n]*)\n?(.*)$')
if not head then return {'unknown'} end
if old == comment then return {'unchanged'} end
show(article)
redis.call('HSET', texts, article, comment == '' and head or head .. '\n' .. comment)
return {'commented'}
