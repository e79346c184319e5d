-- A moderator gives an article another home group. Its message stays where it is.
--
-- KEYS[1]  articles     hash        rows, and the guild's interesting mark
-- KEYS[2]  interesting  sorted set
-- KEYS[3]  scores       sorted set  the guild's ranking by score
-- KEYS[4]  times        sorted set  the guild's ranking by post time
-- KEYS[5]  votes        sorted set  the guild's closed articles by net votes
-- KEYS[6]  days         prefix      of the rankings by net votes of a day's closed articles
-- ARGV[1]  article      snowflake
-- ARGV[2]  seconds      the article's post time
-- ARGV[3]  home         channel: the new home group; the old one is left
-- ARGV[4]  listed       'l' for listed, 'h' for hidden, as the new home is
-- Also touches: the same rankings of the article's groups, each key followed by :<channel>.
-- Returns {'moved', groups}  separated by commas, the new home group first
--         {'unchanged', groups}
--         {'unknown'}        no such article
-- include score
-- include places
local articles, interesting = KEYS[1], KEYS[2]
local rankings = { scores = KEYS[3], times = KEYS[4], votes = KEYS[5], days = KEYS[6] }
local article, seconds, home, listed = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]

local found = redis.call('HMGET', articles, article, 'mark')
local row, mark = found[1], tonumber(found[2]) or 200
if not row then return {'unknown'} end
local up, down, at = struct.unpack('>I4I4', row)
local state, before, poster, digest, channel, behind =
  string.match(row, '^(%l)%l(%S+) (%d+) (%S*) ?(%d*)()', at)
local old = string.match(before, '^%d+')
if old == home then return {'unchanged', before} end

local groups = {home}
for group in string.gmatch(before, '%d+') do
  if group ~= home and group ~= old then groups[#groups + 1] = group end
end
local after = table.concat(groups, ',')
-- Where the message is follows from the home group only as long as it is there.
if channel == '' then channel = old end
local where = channel == home and '' or ' ' .. channel
local closed, net = state == 'c', up - down
local score = scoreOf(seconds, mark, net)
redis.call('HSET', articles, article, string.sub(row, 1, 8) .. state .. listed .. after .. ' '
  .. poster .. ' ' .. digest .. where .. string.sub(row, behind))
displace(rankings, '', article, seconds, closed)
for group in string.gmatch(before, '%d+') do
  displace(rankings, ':' .. group, article, seconds, closed)
end
redis.call('ZREM', interesting, article)
if listed == 'l' then
  place(rankings, '', article, seconds, score, net, closed)
  if up >= mark then redis.call('ZADD', interesting, seconds, article) end
end
for _, group in ipairs(groups) do
  place(rankings, ':' .. group, article, seconds, score, net, closed)
  if listed == 'h' then break end -- Hidden: in its home group's rankings alone.
end
return {'moved', after}
