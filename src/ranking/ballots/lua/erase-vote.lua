-- Erases a member's vote on an article, also where voting is stopped or the article was removed, so that
-- opening or restoring it does not bring the vote back. Votes that are frozen have no voters.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article      snowflake
-- ARGV[2]  member       snowflake
-- Returns {'erased'}
--         {'unchanged'}  the member had no vote
--         {'unknown'}    no such article
-- include guild-keys
-- include row
-- include removed
-- include tallies
-- include change-vote
local article, member = ARGV[1], ARGV[2]

local row, scale = readRow(articles, article)
local removal, text
if not row then row, removal, text = parseRemoved(redis.call('HGET', removed, article)) end
if not row then return {'unknown'} end

local voters, older = voterSets .. article, olderSets .. article
local vote = changeVote(voters, older, row, member, voteOf(voters, member), 'set', 'none')
if not vote then return {'unchanged'} end
if removal then
  redis.call('HSET', removed, article, formatRemoved(row, removal, text))
else
  saveTallies(articles, rankings, scale, { [article] = row })
end
return {'erased'}
