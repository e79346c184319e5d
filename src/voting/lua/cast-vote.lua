-- A member votes up or down: a first vote, a switch, or nothing new.
-- After a switch the opposite reaction may still be shown; it is then remembered as the older.
--
-- KEYS[1]  voters       set         member id, with a minus for down
-- KEYS[2]  older        set         members who show the opposite reaction as well
-- KEYS[3]  articles     hash        rows, and the guild's interesting mark
-- KEYS[4]  scores       sorted set  the guild's ranking
-- KEYS[5]  interesting  sorted set
-- ARGV[1]  article      snowflake
-- ARGV[2]  member       snowflake
-- ARGV[3]  sign         '' for up, '-' for down
-- ARGV[4]  seconds      the article's post time
-- ARGV[5]  stays        '1' where the opposite reaction, if there is one, is still shown
-- Also touches: the score rankings of the article's groups, <KEYS[4]>:<channel>.
-- Returns {'counted', up, down, score, older}: older is 1 where the opposite reaction is still shown
--         {'unchanged'}  this was the vote already, or its reaction is the older of two
--         {'unknown'}    no such article
--         {'closed'}     its votes are frozen
--         {'locked'}     its voting is stopped
--         {'poster'}     the poster's own reactions do not count
-- include settle
local voters, older, articles, scores, interesting = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local article, member, sign, seconds, stays = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local opposite = sign == '' and '-' or ''

-- The one write before the guards: SADD tells a repeated vote, the most frequent event, in a single
-- call, and what the guards below refuse is taken back, which cannot fail for want of memory.
if redis.call('SADD', voters, sign .. member) == 0 then return {'unchanged'} end

local found = redis.call('HMGET', articles, article, 'mark')
local row, mark = found[1], tonumber(found[2] or 200)
local refusal
local up, down, at, state, listed, groups, poster
if not row then
  refusal = 'unknown'
else
  up, down, at = struct.unpack('>I4I4', row)
  state, listed, groups, poster = string.match(row, '^(%l)(%l)(%S+) (%d+)', at)
  if state == 'c' then refusal = 'closed'
  elseif state == 'k' then refusal = 'locked'
  elseif poster == member then refusal = 'poster' end
end
if refusal then
  redis.call('SREM', voters, sign .. member)
  return {refusal}
end

local upBefore, switched = up, false
if sign == '' then
  up = up + 1
  if down > 0 and redis.call('SREM', voters, '-' .. member) == 1 then
    down, switched = down - 1, true
  end
else
  down = down + 1
  -- The first up vote is the poster's, who is not in the set.
  if up > 1 and redis.call('SREM', voters, member) == 1 then
    up, switched = up - 1, true
  end
end
if switched then
  if stays ~= '1' then
    redis.call('SREM', older, member)
  elseif redis.call('SADD', older, member) == 0 then
    -- Both were shown already, the opposite being the newer: nothing was added.
    redis.call('SREM', voters, sign .. member)
    redis.call('SADD', voters, opposite .. member)
    return {'unchanged'}
  end
end
local score = settle(
  articles, scores, interesting, article, seconds, mark, row, listed, groups, upBefore, up, down
)
return {'counted', up, down, score, switched and stays == '1' and 1 or 0}
