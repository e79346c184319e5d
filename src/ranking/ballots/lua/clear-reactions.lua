-- All reactions of an article went away at once, or all of one kind.
-- Bounded by the article's own voters.
--
-- KEYS[1]  voters       set         voters that the row does not hold: member id, a minus for down
-- KEYS[2]  older        set         members who show the opposite reaction as well
-- KEYS[3]  articles     hash        rows, and the guild's interesting mark
-- KEYS[4]  scores       sorted set  the guild's ranking
-- KEYS[5]  interesting  sorted set
-- ARGV[1]  article      snowflake
-- ARGV[2]  seconds      the article's post time
-- ARGV[3]  which        'up', 'down' or 'all'
-- Also touches: the score rankings of the article's groups, <KEYS[4]>:<channel>.
-- Returns {'counted', up, down}
--         {'unchanged'}
--         {'unknown'}  no such article
--         {'closed'}   its votes are frozen
--         {'locked'}   its voting is stopped
-- include score
-- include cross-mark
-- include rank
-- include save-tally
-- include voters
-- include ballot
local voters, older, articles, scores, interesting = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local article, seconds, which = ARGV[1], tonumber(ARGV[2]), ARGV[3]

local found = redis.call('HMGET', articles, article, 'mark')
local row, mark = found[1], tonumber(found[2]) or 200
if not row then return {'unknown'} end
local upBefore, downBefore = struct.unpack('>I4I4', row)
local state, groups = string.match(row, '^(%l)%l(%S+)', 9)
if state == 'c' then return {'closed'} end
if state == 'k' then return {'locked'} end

local up, down = 1, 0
if which == 'all' then
  redis.call('UNLINK', voters, older)
  row = withoutVotes(row)
else
  up, down = upBefore, downBefore
  local gone = which == 'up'
  local both = {}
  for _, member in ipairs(redis.call('SMEMBERS', older)) do both[member] = true end
  redis.call('DEL', older)
  for _, signed in ipairs(readVotes(row, voters)) do
    local isDown = string.byte(signed) == 45
    local member = isDown and string.sub(signed, 2) or signed
    if isDown ~= gone then
      row = dropVote(row, voters, member, isDown and '-' or '')
      if isDown then down = down - 1 else up = up - 1 end
      if both[member] then
        row = addVote(row, voters, member, isDown and '' or '-')
        if isDown then up = up + 1 else down = down + 1 end
      end
    end
  end
end
if up == upBefore and down == downBefore then return {'unchanged'} end
saveTally(articles, scores, interesting, article, seconds, mark, row, groups, upBefore, up, down)
return {'counted', up, down}
