-- Commits posted articles: of each its row, its rankings and its link, with the poster's up vote
-- counted, in the order given.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  links        hash        digest of the canonical link -> article
-- KEYS[3]  postings     hash        digest of the canonical link -> reservation
-- KEYS[4]  open         set         articles whose voting is not closed
-- KEYS[5]  interesting  sorted set
-- KEYS[6]  scores       sorted set  the guild's ranking by score
-- KEYS[7]  times        sorted set  the guild's ranking by post time
-- KEYS[8]  votes        sorted set  the guild's closed articles by net votes
-- KEYS[9]  days         prefix      of the rankings by net votes of a day's closed articles
-- KEYS[10] removed      hash        rows of articles that a moderator or the poster removed
-- KEYS[11] texts        hash        article -> link and title
-- ARGV[1..] given       article; the head of its row behind the tally; digest of the canonical link,
--                       which the head holds too; post time in seconds; up votes, the poster's
--                       included; down votes; link and title; and again
-- Also touches: the same rankings of the articles' groups, each key followed by :<channel>.
-- Returns {'committed', mark, status, article, status, …}: for each article one of
--   posted
--   known      it is there already, or was removed; nothing was changed
--   duplicate  its link belongs to another article, which follows; otherwise its own id does
-- include score
-- include places
-- include enter
local articles, links, postings, open, interesting = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local rankings = { scores = KEYS[6], times = KEYS[7], votes = KEYS[8], days = KEYS[9] }
local removed, texts = KEYS[10], KEYS[11]
local given = { unpack(ARGV, 1) }

local ids, digests = {}, {}
for i = 1, #given, 7 do
  ids[#ids + 1] = given[i]
  digests[#digests + 1] = given[i + 2]
end
local gone = redis.call('HMGET', removed, unpack(ids))
local owners = redis.call('HMGET', links, unpack(digests))
ids[#ids + 1] = 'mark'
local rows = redis.call('HMGET', articles, unpack(ids))
local mark = tonumber(rows[#ids]) or 200

local replies = {'committed', mark}
local heads, words, named, reserved, opened = {}, {}, {}, {}, {}
local here, taken, places, closings = {}, {}, {}, {}

for i = 1, #given, 7 do
  local article, head, digest, seconds = given[i], given[i + 1], given[i + 2], tonumber(given[i + 3])
  local up, down, text = tonumber(given[i + 4]), tonumber(given[i + 5]), given[i + 6]
  local n = (i + 6) / 7
  local owner = taken[digest] or owners[n] or article
  local status = 'posted'
  if rows[n] or gone[n] or here[article] then
    status, owner = 'known', article
  elseif owner ~= article then
    status = 'duplicate'
  else
    local state, listed, groups = string.match(head, '^(%l)(%l)(%S+)')
    local closed, net = state == 'c', up - down
    local score = scoreOf(seconds, mark, net)
    here[article], taken[digest] = true, article
    local at = #heads
    -- An open article's head ends with a line feed, behind which its first voters will stand.
    heads[at + 1] = article
    heads[at + 2] = struct.pack('>I4I4', up, down) .. head .. (closed and '' or '\n')
    words[at + 1], words[at + 2] = article, text
    named[at + 1], named[at + 2] = digest, article
    reserved[#reserved + 1] = digest
    if not closed then opened[#opened + 1] = article end
    if listed == 'l' then
      enter(places, rankings.scores, score, article)
      enter(places, rankings.times, seconds, article)
      if closed then closings[#closings + 1] = { '', article, seconds, net } end
      if up >= mark then enter(places, interesting, seconds, article) end
    end
    for group in string.gmatch(groups, '%d+') do
      local suffix = ':' .. group
      enter(places, rankings.scores .. suffix, score, article)
      enter(places, rankings.times .. suffix, seconds, article)
      if closed then closings[#closings + 1] = { suffix, article, seconds, net } end
      if listed == 'h' then break end -- Hidden: in its home group's rankings alone.
    end
  end
  replies[#replies + 1] = status
  replies[#replies + 1] = owner
end

if #heads == 0 then return replies end
redis.call('HSET', articles, unpack(heads))
redis.call('HSET', texts, unpack(words))
redis.call('HSET', links, unpack(named))
redis.call('HDEL', postings, unpack(reserved))
if #opened > 0 then redis.call('SADD', open, unpack(opened)) end
for key, list in pairs(places) do redis.call('ZADD', key, unpack(list)) end
for _, closing in ipairs(closings) do placeClosed(rankings, unpack(closing)) end
return replies
