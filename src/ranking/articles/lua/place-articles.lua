-- Puts articles into every ranking and index in which their rows belong. What is right already stays.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  links        hash        digest of the canonical link -> article
-- KEYS[3]  open         set         articles whose voting is not closed
-- KEYS[4]  interesting  sorted set
-- KEYS[5]  scores       sorted set  the guild's ranking by score
-- KEYS[6]  times        sorted set  the guild's ranking by post time
-- KEYS[7]  votes        sorted set  the guild's closed articles by net votes
-- KEYS[8]  days         prefix      of the rankings by net votes of a day's closed articles
-- ARGV[1..] given       for each: article and its post time in seconds
-- Also touches: the same rankings of the articles' groups, each key followed by :<channel>.
-- Returns {'placed'}
-- include row
-- include score
-- include places
local articles, links, open = KEYS[1], KEYS[2], KEYS[3]
local rankings = { interesting = KEYS[4], scores = KEYS[5], times = KEYS[6], votes = KEYS[7], days = KEYS[8] }
local given = { unpack(ARGV, 1) }

local ids = {}
for n = 1, #given, 2 do ids[#ids + 1] = given[n] end
local rows, mark = readRows(articles, ids)
for n, article in ipairs(ids) do
  local row = rows[article]
  if row then
    if row.state ~= 'c' then redis.call('SADD', open, article) end
    redis.call('HSETNX', links, row.digest, article)
    place(rankings, article, row, given[n * 2], mark)
  end
end
return {'placed'}
