-- Clears all reactions of an article, or all of one kind. The work grows with the article's voters.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  scores       sorted set  the guild's ranking
-- KEYS[3]  interesting  sorted set
-- KEYS[4]  voters       set         member id, with a minus for down
-- KEYS[5]  older        set         members who show the opposite reaction as well
-- ARGV[1]  article      snowflake
-- ARGV[2]  seconds      the article's post time
-- ARGV[3]  which        'up', 'down' or 'all'
-- Also touches: the score rankings of the article's groups, <KEYS[2]>:<channel>.
-- Returns {'counted', up, down}
--         {'unchanged'}
--         {'unknown'}  no such article
--         {'closed'}   its votes are frozen
--         {'locked'}   its voting is stopped
-- include row
-- include score
-- include tallies
local articles, scores, interesting, voters, older = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local article, seconds, which = ARGV[1], ARGV[2], ARGV[3]

local rows, mark = readRows(articles, {article})
local row = rows[article]
local refusal = refusalOf(row)
if refusal then return {refusal} end

local upBefore, downBefore = row.up, row.down
if which == 'all' then
  redis.call('UNLINK', voters, older)
  row.up, row.down = 1, 0
else
  local showedBoth = {}
  for _, member in ipairs(redis.call('SMEMBERS', older)) do showedBoth[member] = true end
  -- With one direction cleared, nobody shows both.
  redis.call('UNLINK', older)
  local sign, opposite = '', 'down'
  if which == 'down' then sign, opposite = '-', 'up' end
  for _, vote in ipairs(redis.call('SMEMBERS', voters)) do
    local voteSign, member = string.match(vote, '^(-?)(%d+)$')
    if voteSign == sign then
      redis.call('SREM', voters, vote)
      row[which] = row[which] - 1
      -- The older reaction is still shown, so it becomes the vote.
      if showedBoth[member] then
        redis.call('SADD', voters, (sign == '' and '-' or '') .. member)
        row[opposite] = row[opposite] + 1
      end
    end
  end
end
if row.up == upBefore and row.down == downBefore then return {'unchanged'} end
local changed = { [article] = { row = row, seconds = seconds, upBefore = upBefore } }
saveTallies(articles, scores, interesting, mark, changed)
return {'counted', row.up, row.down}
