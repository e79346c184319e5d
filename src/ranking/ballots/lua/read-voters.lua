-- Who has voted on an open article, the poster not among them.
--
-- KEYS[1]  voters    set   voters that the row does not hold: member id, a minus for down
-- KEYS[2]  older     set   members who show the opposite reaction as well
-- KEYS[3]  articles  hash  rows
-- KEYS[4]  removed   hash  rows of articles that a moderator or the poster removed
-- ARGV[1]  article   snowflake
-- Returns {'read', count, vote, …, member, …}: so many votes, each a member id with a minus for down,
-- then the members who show the opposite reaction as well
-- include voters
-- include ballot
local voters, older, articles, removed = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local article = ARGV[1]

local row = redis.call('HGET', articles, article)
local votes = {}
if row then
  votes = readVotes(row, voters)
elseif redis.call('HEXISTS', removed, article) == 1 then
  votes = redis.call('SMEMBERS', voters)
end
local reply = {'read', #votes}
for _, vote in ipairs(votes) do reply[#reply + 1] = vote end
for _, member in ipairs(redis.call('SMEMBERS', older)) do reply[#reply + 1] = member end
return reply
