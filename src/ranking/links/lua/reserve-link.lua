-- Reserves a link for a posting, so that two members who post it at once create one article.
--
-- KEYS[1]  links        hash  link hash -> article
-- KEYS[2]  postings     hash  link hash -> '<interaction> <reserved at>'
-- ARGV[1]  linkHash     of the link name
-- ARGV[2]  interaction  snowflake: the interaction that reserves it
-- ARGV[3]  now          milliseconds
-- ARGV[4]  lifetime     of a reservation, in milliseconds
-- ARGV[5]  from         take over the expired reservation of this interaction, or ''
-- Returns {'reserved'}         also if this interaction holds it already
--         {'known', article}   the link has been posted
--         {'posting'}          another interaction holds it
--         {'expired', holder}  another interaction held it too long: its message may exist
local links, postings = KEYS[1], KEYS[2]
local linkHash, interaction = ARGV[1], ARGV[2]
local now, lifetime, from = ARGV[3], tonumber(ARGV[4]), ARGV[5]

local article = redis.call('HGET', links, linkHash)
if article then return {'known', article} end
local posting = redis.call('HGET', postings, linkHash)
local by, since = string.match(posting or '', '^(%d+) (%d+)$')
if by == interaction then return {'reserved'} end
if by and by ~= from then
  if tonumber(now) - tonumber(since) < lifetime then return {'posting'} end
  return {'expired', by}
end
redis.call('HSET', postings, linkHash, interaction .. ' ' .. now)
-- This sweeps what is never committed. No rule rests on it.
redis.call('EXPIRE', postings, 86400)
return {'reserved'}
