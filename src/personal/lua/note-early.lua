-- Notes on which of the articles that a member was shown, since they needed a vote, the member voted; and shows more.
-- A member who keeps nothing gets nothing by a vote alone: so nothing comes back that was erased.
--
-- KEYS[1]  personal  hash     see `stored-personal.ts`
-- ARGV[1]  voted     string   articles, each on a line of its own
-- ARGV[2]  shown     string   articles that they are shown now, likewise
-- ARGV[3]  mostAsked integer  the articles that are noted as shown
-- ARGV[4]  mostEarly integer  the articles that are noted as voted on
-- ARGV[5]  seconds   integer  after which a member who does not come back is forgotten; 0: that stays as it is
-- Returns {'noted', early}  the number of articles that were shown and are voted on by now
local personal = KEYS[1]
local voted, shown = ARGV[1], ARGV[2]
local mostAsked, mostEarly, seconds = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
-- include words

local asked = wordsIn(redis.call('HGET', personal, 'unjudged'))
local isAsked, early = {}, {}
for _, article in ipairs(asked) do isAsked[article] = true end
for _, article in ipairs(wordsIn(voted)) do
  if isAsked[article] then early[#early + 1] = article end
end
if #early == 0 and shown == '' then return {'noted', 0} end

saveWords(personal, 'unjudged', changed(asked, early, wordsIn(shown)), mostAsked)
if #early > 0 then
  saveWords(personal, 'early', changed(wordsIn(redis.call('HGET', personal, 'early')), {}, early), mostEarly)
end
if seconds > 0 then redis.call('EXPIRE', personal, seconds) end
return {'noted', #early}
