-- Erases a member's vote on an article, also where voting is stopped or the article was removed, so that
-- opening or restoring it does not bring the vote back. Votes that are frozen have no voters.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  scores       sorted set  the guild's ranking
-- KEYS[3]  interesting  sorted set
-- KEYS[4]  voters       set         member id, with a minus for down
-- KEYS[5]  older        set         members who show the opposite reaction as well
-- KEYS[6]  removed      hash        article -> a removed article (see `removed.include.lua`)
-- ARGV[1]  article      snowflake
-- ARGV[2]  seconds      the article's post time
-- ARGV[3]  member       snowflake
-- Also touches: the score rankings of the article's groups, <KEYS[2]>:<channel>.
-- Returns {'erased'}
--         {'unchanged'}  the member had no vote
--         {'unknown'}    no such article
-- include row
-- include removed
-- include score
-- include tallies
-- include change-vote
local articles, scores, interesting = KEYS[1], KEYS[2], KEYS[3]
local voters, older, removed = KEYS[4], KEYS[5], KEYS[6]
local article, seconds, member = ARGV[1], ARGV[2], ARGV[3]

local rows, mark = readRows(articles, {article})
local row, removedAt, text = rows[article], nil, nil
if not row then row, removedAt, text = parseRemoved(redis.call('HGET', removed, article)) end
if not row then return {'unknown'} end

local upBefore = row.up
if not changeVote(voters, older, row, member, 'set', 'none') then return {'unchanged'} end
if removedAt then
  redis.call('HSET', removed, article, formatRemoved(row, removedAt, text))
else
  local changed = { [article] = { row = row, seconds = seconds, upBefore = upBefore } }
  saveTallies(articles, scores, interesting, mark, changed)
end
return {'erased'}
