-- Erases a member's vote on a removed article, so that a restore does not bring the vote back.
--
-- KEYS[1]  voters     set    member id, with a minus for down
-- KEYS[2]  older      set    members who show the opposite reaction as well
-- KEYS[3]  removed    hash   article -> time of removal (ms), a space, row, a line feed, text
-- ARGV[1]  article    snowflake
-- ARGV[2]  member     snowflake
-- Returns {'erased'}
--         {'unchanged'}  the member had no vote
--         {'unknown'}    no removed article with this id
-- include row
-- include change-vote
local voters, older, removed = KEYS[1], KEYS[2], KEYS[3]
local article, member = ARGV[1], ARGV[2]

local when, rowText, text = string.match(redis.call('HGET', removed, article) or '', '^(%d+) ([^\n]*)(\n.*)$')
local row = parseRow(rowText)
if not row then return {'unknown'} end

if not changeVote(voters, older, row, member, 'set', 'none') then return {'unchanged'} end
redis.call('HSET', removed, article, when .. ' ' .. formatRow(row) .. text)
return {'erased'}
