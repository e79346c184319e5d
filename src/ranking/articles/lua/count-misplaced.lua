-- Counts the articles that a ranking or an index lacks, according to their rows. Writes nothing.
-- A row and its places change in one script, so what is missing here is damage.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  links        hash        digest of the canonical link -> article
-- KEYS[3]  open         set         articles whose voting is not closed
-- KEYS[4]  interesting  sorted set
-- KEYS[5]  scores       sorted set  the guild's ranking by score
-- KEYS[6]  times        sorted set  the guild's ranking by post time
-- KEYS[7]  votes        sorted set  the guild's closed articles by net votes
-- KEYS[8]  days         prefix      of the rankings by net votes of a day's closed articles
-- KEYS[9]  rescoring    string      exists while articles are fitted to a changed mark
-- ARGV[1]  firstDay     days since 1970; the rankings of earlier days may have expired
-- ARGV[2..] given       for each: article and its post time in seconds
-- Also touches: the same rankings of the articles' groups, each key followed by :<channel>.
-- Returns {'misplaced', count}
-- include row
-- include score
-- include places
local articles, links, open = KEYS[1], KEYS[2], KEYS[3]
local rankings = { interesting = KEYS[4], scores = KEYS[5], times = KEYS[6], votes = KEYS[7], days = KEYS[8] }
local rescoring = KEYS[9]
local firstDay, given = tonumber(ARGV[1]), { unpack(ARGV, 2) }

local isRescoring = redis.call('EXISTS', rescoring) == 1
-- A link can rightly be free, or belong to another article: only the whole index can be missed.
local isIndexed = redis.call('EXISTS', links) == 1

-- A full ranking by votes lacks articles rightly, so only a missing key counts there.
local function isIn(suffix, article, row, seconds)
  if not redis.call('ZSCORE', rankings.scores .. suffix, article) then return false end
  if not redis.call('ZSCORE', rankings.times .. suffix, article) then return false end
  if row.state ~= 'c' then return true end
  if redis.call('ZCARD', rankings.votes .. suffix) == 0 then return false end
  if math.floor(seconds / 86400) < firstDay then return true end
  return redis.call('ZCARD', dayOf(rankings, suffix, seconds)) > 0
end

local function isPlaced(article, row, seconds, mark)
  if not isIndexed then return false end
  for _, suffix in ipairs(suffixesOf(row)) do
    if not isIn(suffix, article, row, seconds) then return false end
  end
  if row.state ~= 'c' and redis.call('SISMEMBER', open, article) == 0 then return false end
  if isRescoring or row.listed == 'h' or row.up < mark then return true end
  return redis.call('ZSCORE', rankings.interesting, article) ~= false
end

local ids = {}
for n = 1, #given, 2 do ids[#ids + 1] = given[n] end
local rows, mark = readRows(articles, ids)
local count = 0
for n, article in ipairs(ids) do
  local row = rows[article]
  if row and not isPlaced(article, row, tonumber(given[n * 2]), mark) then count = count + 1 end
end
return {'misplaced', count}
