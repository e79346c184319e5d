-- Puts an article into groups and takes it out of others. The home group stays.
--
-- KEYS[1]  articles  hash        rows, and the guild's interesting mark
-- KEYS[2]  scores    sorted set  the guild's ranking by score
-- KEYS[3]  times     sorted set  the guild's ranking by post time
-- KEYS[4]  votes     sorted set  the guild's closed articles by net votes
-- KEYS[5]  days      prefix      of the rankings by net votes of a day's closed articles
-- ARGV[1]  article   snowflake
-- ARGV[2]  seconds   the article's post time
-- ARGV[3]  most      how many groups an article may be in
-- ARGV[4]  add       channels, separated by commas
-- ARGV[5]  remove    channels, separated by commas
-- Also touches: the same rankings of the groups named, each key followed by :<channel>.
-- Returns {'changed', groups}    groups separated by commas, the home group first
--         {'unchanged', groups}
--         {'unknown'}            no such article
--         {'home', groups}       the home group cannot be taken away
--         {'hidden', groups}     not listed, so it can be in no other group
--         {'full', groups}       it would be in too many groups
-- include score
-- include places
local articles = KEYS[1]
local rankings = { scores = KEYS[2], times = KEYS[3], votes = KEYS[4], days = KEYS[5] }
local article, seconds, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local add, remove = ARGV[4], ARGV[5]

local found = redis.call('HMGET', articles, article, 'mark')
local row, mark = found[1], tonumber(found[2]) or 200
if not row then return {'unknown'} end
local up, down, at = struct.unpack('>I4I4', row)
local state, listed, before, behind = string.match(row, '^(%l)(%l)(%S+)()', at)

local leaves, entered, groups, home = {}, {}, {}, nil
for group in string.gmatch(remove, '%d+') do leaves[group] = true end
for group in string.gmatch(before, '%d+') do
  home = home or group
  if leaves[group] then
    if group == home then return {'home', before} end
  else
    groups[#groups + 1], groups[group] = group, true
  end
end
for group in string.gmatch(add, '%d+') do
  if not groups[group] and not leaves[group] then
    groups[#groups + 1], groups[group] = group, true
    entered[#entered + 1] = group
  end
end
if #entered > 0 and listed == 'h' then return {'hidden', before} end
if #entered > 0 and #groups > most then return {'full', before} end
local after = table.concat(groups, ',')
if after == before then return {'unchanged', before} end

local closed, net = state == 'c', up - down
local score = scoreOf(seconds, mark, net)
redis.call('HSET', articles, article, string.sub(row, 1, at + 1) .. after .. string.sub(row, behind))
for group in pairs(leaves) do displace(rankings, ':' .. group, article, seconds, closed) end
for _, group in ipairs(entered) do
  place(rankings, ':' .. group, article, seconds, score, net, closed)
end
return {'changed', after}
