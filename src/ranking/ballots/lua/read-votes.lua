-- How a member has voted on articles whose votes are kept.
--
-- KEYS[1]  articles      hash    rows
-- KEYS[2]  voterSets     prefix  of the voters that a row does not hold: member id, a minus for down
-- ARGV[1]  member        snowflake
-- ARGV[2..] ids          articles
-- Also touches: the sets of the articles, <KEYS[2]><article>.
-- Returns {'read', vote, …}: for each article 'up', 'down' or 'none'
-- include voters
-- include ballot
local articles, voterSets = KEYS[1], KEYS[2]
local member, ids = ARGV[1], { unpack(ARGV, 2) }

local reply = {'read'}
-- Where the row is gone, the article was removed, and its votes are kept in the set.
for i, row in ipairs(redis.call('HMGET', articles, unpack(ids))) do
  local up, down = readVote(row or '-', voterSets .. ids[i], member)
  reply[i + 1] = up == 1 and 'up' or down == 1 and 'down' or 'none'
end
return reply
