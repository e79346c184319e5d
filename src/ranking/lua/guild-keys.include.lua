-- The keys of a guild, which the scripts get in this order.
-- KEYS[1]  articles     hash        rows, the scale, the version
-- KEYS[2]  texts        hash        article -> link, title and comment
-- KEYS[3]  previews     hash        article -> picture and description
-- KEYS[4]  replies      hash        article -> messages in its discussion
-- KEYS[5]  outcomes     hash        what became of articles (see `outcomes.ts`)
-- KEYS[6]  removed      hash        article -> a removed article (see `removed.include.lua`)
-- KEYS[7]  links        hash        link hash -> article
-- KEYS[8]  postings     hash        link hash -> reservation
-- KEYS[9]  open         set         articles whose voting is not closed
-- KEYS[10] interesting  sorted set
-- KEYS[11] scores       sorted set  the guild's ranking by score
-- KEYS[12] times        sorted set  the guild's ranking by post time
-- KEYS[13] votes        sorted set  the guild's closed articles by net votes
-- KEYS[14] voterSets    prefix      of the articles' sets of voters: member id, with a minus for down
-- KEYS[15] olderSets    prefix      of the sets of members who show the opposite reaction as well
-- KEYS[16] due          sorted set  row by when it is due (see `src/due`)
-- KEYS[17] troubles     hash        row -> what hinders it, JSON
-- KEYS[18] subjects     hash        article -> the words of its subject
-- KEYS[19] subjectWords hash        word -> the articles that have it
-- A script also touches the sets of its articles, <KEYS[14]><article> and <KEYS[15]><article>, and the
-- rankings of their groups, <KEYS[11..13]>:<channel>.
local articles, texts, previews, replies, outcomes = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local removed, links, postings, open = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local rankings = { interesting = KEYS[10], scores = KEYS[11], times = KEYS[12], votes = KEYS[13] }
local voterSets, olderSets, due, troubles = KEYS[14], KEYS[15], KEYS[16], KEYS[17]
local subjects, subjectWords = KEYS[18], KEYS[19]

-- The article's message is to be made equal to its row, as soon as possible.
local function show(article) redis.call('ZADD', due, 0, 'show:' .. article) end

-- An article became interesting, which is announced where the guild wants that.
local function announce() redis.call('ZADD', due, 0, 'announce') end

-- The index of subjects is to be made equal to the article, as soon as possible.
local function indexSubject(article) redis.call('ZADD', due, 0, 'earlier:' .. article) end

-- An open article is to be closed in the second after its week; the guild's first one says when. Its counts are
-- compared each hour, and its lists of reactions from the next 01:00 UTC.
local function planVoting(seconds)
  local night = math.floor((seconds - 3600) / 86400 + 1) * 86400 + 3600
  local closing = seconds + 604801
  redis.call('ZADD', due, 'LT', closing * 1000, 'close', (seconds + 3600) * 1000, 'counts', night * 1000, 'full')
end
