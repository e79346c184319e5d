-- Commits a posted article that is open: its row, its rankings and its link, with the poster's up vote
-- counted. For a post that comes alone, which is what `post-articles` does for several, at two thirds
-- of its cost.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  links        hash        digest of the canonical link -> article
-- KEYS[3]  postings     hash        digest of the canonical link -> reservation
-- KEYS[4]  open         set         articles whose voting is not closed
-- KEYS[5]  interesting  sorted set
-- KEYS[6]  scores       sorted set  the guild's ranking by score
-- KEYS[7]  times        sorted set  the guild's ranking by post time
-- KEYS[8]  removed      hash        rows of articles that a moderator or the poster removed
-- KEYS[9]  texts        hash        article -> link and title
-- ARGV[1]  article      snowflake
-- ARGV[2]  head         of its row, behind the tally
-- ARGV[3]  digest       of the canonical link, which the head holds too
-- ARGV[4]  seconds      its post time
-- ARGV[5]  up           up votes, the poster's included
-- ARGV[6]  down         down votes
-- ARGV[7]  text         link and title
-- Also touches: the same rankings of the article's groups, each key followed by :<channel>.
-- Returns what `post-articles` does for each article, without an array, which would cost as much as
-- both rankings: the guild's mark where it was posted; 'known'; or of a duplicate the link's owner
-- include score
local articles, links, postings, open, interesting = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local scores, times, removed, texts = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local article, head, digest, seconds = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local up, down, text = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]

local found = redis.call('HMGET', articles, article, 'mark')
local mark = tonumber(found[2]) or 200
if found[1] or redis.call('HEXISTS', removed, article) == 1 then return 'known' end
-- The last guard, which writes where it lets pass.
if redis.call('HSETNX', links, digest, article) == 0 then
  local owner = redis.call('HGET', links, digest)
  if owner ~= article then return owner end
end

-- The head ends with a line feed, behind which its first voters will stand.
redis.call('HSET', articles, article, struct.pack('>I4I4', up, down) .. head .. '\n')
redis.call('HSET', texts, article, text)
redis.call('HDEL', postings, digest)
redis.call('SADD', open, article)
local score = scoreOf(seconds, mark, up - down)
local isListed = string.byte(head, 2) == 108 -- 'l'
if isListed then
  redis.call('ZADD', scores, score, article)
  redis.call('ZADD', times, seconds, article)
  if up >= mark then redis.call('ZADD', interesting, seconds, article) end
end
local groups = string.sub(head, 3, string.find(head, ' ', 3, true) - 1)
for group in string.gmatch(groups, '%d+') do
  redis.call('ZADD', scores .. ':' .. group, score, article)
  redis.call('ZADD', times .. ':' .. group, seconds, article)
  if not isListed then break end -- Hidden: in its home group's rankings alone.
end
return mark
