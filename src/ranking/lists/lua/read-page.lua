-- A page of articles in one round trip: the ranks from start to stop, each with its row and its text.
--
-- KEYS[1]  ranking        sorted set  of the guild or of a group
-- KEYS[2]  articles       hash        rows, the scale, the version
-- KEYS[3]  texts          hash        article -> link, title and comment
-- KEYS[4]  channelScales  hash        group -> '<mark> <span>'
-- KEYS[5]  times          sorted set  the same articles by post time
-- ARGV[1]  direction      'desc' or 'asc'
-- ARGV[2]  start          first rank, from 0
-- ARGV[3]  stop           last rank
-- ARGV[4]  group          whose list it is; empty: the guild's
-- ARGV[5]  head           by score, a group with its own scale has its newest so many in the order of that
--                         scale, and those before them by time; 0 for another order
-- Returns {'page', total, version, mark, span, limit, own, ofHead, skipped, count, article, row, text, …}: own
-- is the group's scale, or empty. In a list with a head, the entries are the newest first: sort the first
-- ofHead of them, then take count after the skipped ones, in the direction. False for a missing row or text.
local ranking, articles, texts, channelScales, times = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local direction, start, stop = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local group, head = ARGV[4], tonumber(ARGV[5])

local fields = redis.call('HMGET', articles, 'version', 'mark', 'span', 'limit')
local version, mark, span, limit = fields[1] or '0', fields[2] or '', fields[3] or '', fields[4] or ''
local own = group ~= '' and limit ~= 'none' and redis.call('HGET', channelScales, group) or ''

local total = redis.call('ZCARD', ranking)
local ofHead, skipped, count = 0, 0, stop - start + 1
local command = direction == 'desc' and 'ZREVRANGE' or 'ZRANGE'
if own ~= '' and head > 0 then
  ranking, command = times, 'ZREVRANGE'
  if direction == 'asc' then start, stop = total - 1 - stop, total - 1 - start end
  start = math.max(0, start)
  count = stop - start + 1
  if start < head then start, stop, ofHead, skipped = 0, math.max(stop, head - 1), head, start end
end
local ids = count > 0 and redis.call(command, ranking, start, stop) or {}
local page = {'page', total, version, mark, span, limit, own, ofHead, skipped, count}
if #ids == 0 then return page end

local rows = redis.call('HMGET', articles, unpack(ids))
local textsOfPage = redis.call('HMGET', texts, unpack(ids))
for n, article in ipairs(ids) do
  local at = #page
  page[at + 1], page[at + 2], page[at + 3] = article, rows[n], textsOfPage[n]
end
return page
