-- Commits posted articles in the given order: the row, the rankings and the link of each.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1..] items       for each: article, its row, its text; a row's state can also be 'd': closed, and
--                       the mark of now decides whether it is interesting
-- Returns {'committed', reply, …}: for each article one of
--   posted
--   known                 it exists or was removed; nothing was changed
--   duplicate <article>   its link belongs to this article
-- include guild-keys
-- include row
-- include rankings
local items = ARGV

local ids, linkHashes, parsed = {}, {}, {}
for n = 1, #items, 3 do
  local row = parseRow(items[n + 1])
  ids[#ids + 1], linkHashes[#linkHashes + 1], parsed[#parsed + 1] = items[n], row.linkHash, row
end
local known, scale = readRows(articles, ids)
local gone = redis.call('HMGET', removed, unpack(ids))
local owners = redis.call('HMGET', links, unpack(linkHashes))

local function append(list, one, other)
  list[#list + 1] = one
  list[#list + 1] = other
end

local outcomes, taken, posted = {'committed'}, {}, {}
local newRows, newTexts, newLinks, reserved, oldVoters, opened = {}, {}, {}, {}, {}, {}
-- The post time of the oldest open one.
local first
local indexed, hasClosed = {}, false
for n, article in ipairs(ids) do
  local row = parsed[n]
  local owner = taken[row.linkHash] or owners[n] or article
  if known[article] or gone[n] then
    outcomes[#outcomes + 1] = 'known'
  elseif owner ~= article then
    outcomes[#outcomes + 1] = 'duplicate ' .. owner
  else
    outcomes[#outcomes + 1] = 'posted'
    known[article], taken[row.linkHash], posted[article] = row, article, row
    if row.state == 'd' then closeRow(row, scale) end
    append(newRows, article, formatRow(row))
    append(newTexts, article, items[n * 3])
    append(newLinks, row.linkHash, article)
    append(reserved, row.linkHash)
    append(oldVoters, voterSets .. article, olderSets .. article)
    if row.closed then
      hasClosed = true
    else
      -- Mostly Discord has found by then what the link is about.
      append(indexed, (row.seconds + 5) * 1000, 'earlier:' .. article)
      append(opened, article)
      first = math.min(first or math.huge, row.seconds)
    end
  end
end
if #newRows == 0 then return outcomes end

if first then
  planVoting(first)
  redis.call('ZADD', due, unpack(indexed))
end
-- Old articles come by the thousand, so they are indexed together, and those that come meanwhile ten seconds later: a
-- lease ends after thirty.
if hasClosed then
  local heldUntil = redis.call('ZSCORE', due, 'held:earlier')
  redis.call('ZADD', due, 'NX', heldUntil and heldUntil - 20000 or 0, 'earlier')
end
redis.call('HSET', articles, unpack(newRows))
redis.call('HSET', texts, unpack(newTexts))
redis.call('HSET', links, unpack(newLinks))
redis.call('HDEL', postings, unpack(reserved))
-- Voters of a row that was lost would not be in the tally.
redis.call('UNLINK', unpack(oldVoters))
if #opened > 0 then redis.call('SADD', open, unpack(opened)) end
for article, row in pairs(posted) do
  place(rankings, article, row, scale)
end
return outcomes
