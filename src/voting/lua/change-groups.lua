-- Puts an article into groups and takes it out of others. The home group stays.
--
-- KEYS[1]  articles  hash        rows, and the guild's interesting mark
-- KEYS[2]  scores    sorted set  the guild's ranking by score
-- KEYS[3]  times     sorted set  the guild's ranking by post time
-- ARGV[1]  article   snowflake
-- ARGV[2]  seconds   the article's post time
-- ARGV[3]  most      how many groups an article may be in
-- ARGV[4]  add       channels, separated by commas
-- ARGV[5]  remove    channels, separated by commas
-- Also touches: the rankings of the groups named, <KEYS[2]>:<channel> and <KEYS[3]>:<channel>.
-- Returns {'changed', groups}    groups separated by commas, the home group first
--         {'unchanged', groups}
--         {'unknown'}            no such article
--         {'home', groups}       the home group cannot be taken away
--         {'hidden', groups}     not listed, so it can be in no other group
--         {'full', groups}       it would be in too many groups
local articles, scores, times = KEYS[1], KEYS[2], KEYS[3]
local article, seconds, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local add, remove = ARGV[4], ARGV[5]

local found = redis.call('HMGET', articles, article, 'mark')
local row, mark = found[1], tonumber(found[2] or 200)
if not row then return {'unknown'} end
local up, down, at = struct.unpack('>I4I4', row)
local state, listed, before, behind = string.match(row, '^(%l)(%l)(%S+)()', at)

local removed, added, kept, home = {}, {}, {}, nil
for group in string.gmatch(remove, '%d+') do removed[group] = true end
for group in string.gmatch(before, '%d+') do
  home = home or group
  if removed[group] then
    if group == home then return {'home', before} end
  else
    kept[#kept + 1], kept[group] = group, true
  end
end
for group in string.gmatch(add, '%d+') do
  if not kept[group] and not removed[group] then
    kept[#kept + 1], kept[group] = group, true
    added[#added + 1] = group
  end
end
if #added > 0 and listed == 'h' then return {'hidden', before} end
if #added > 0 and #kept > most then return {'full', before} end
local after = table.concat(kept, ',')
if after == before then return {'unchanged', before} end

local score = string.format('%.17g', seconds + 86400 / mark * (up - down))
redis.call('HSET', articles, article, string.sub(row, 1, at + 1) .. after .. string.sub(row, behind))
for group in pairs(removed) do
  redis.call('ZREM', scores .. ':' .. group, article)
  redis.call('ZREM', times .. ':' .. group, article)
end
for _, group in ipairs(added) do
  redis.call('ZADD', scores .. ':' .. group, score, article)
  redis.call('ZADD', times .. ':' .. group, seconds, article)
end
return {'changed', after}
