-- Deletes articles that cannot be read, and takes them out of the lists. What became of them stays, since they are to
-- be read from Discord. Work: the articles times the lists.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  groups     that have lists, separated by spaces: nothing says in which of them the articles are
-- ARGV[2..] ids       of the articles
-- Returns {'deleted'}
-- include guild-keys
local groups, ids = ARGV[1], {unpack(ARGV, 2)}

local suffixes = {''}
for group in string.gmatch(groups, '%d+') do suffixes[#suffixes + 1] = ':' .. group end
local sets = {}
for _, article in ipairs(ids) do
  sets[#sets + 1] = voterSets .. article
  sets[#sets + 1] = olderSets .. article
end

-- The rows last: if Redis refuses one of these, the next check finds the same articles.
for _, suffix in ipairs(suffixes) do
  redis.call('ZREM', rankings.scores .. suffix, unpack(ids))
  redis.call('ZREM', rankings.times .. suffix, unpack(ids))
  redis.call('ZREM', rankings.votes .. suffix, unpack(ids))
end
redis.call('ZREM', rankings.interesting, unpack(ids))
redis.call('SREM', open, unpack(ids))
redis.call('UNLINK', unpack(sets))
redis.call('HDEL', texts, unpack(ids))
redis.call('HDEL', articles, unpack(ids))
return {'deleted'}
