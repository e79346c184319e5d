-- A page of articles in one round trip: the ranks from start to stop, each with its row and its text.
--
-- KEYS[1]  ranking    sorted set  of the guild or of a group
-- KEYS[2]  articles   hash        rows, the interesting mark, the span, the version
-- KEYS[3]  texts      hash        article -> link, title and comment
-- ARGV[1]  direction  'desc' or 'asc'
-- ARGV[2]  start      first rank, from 0
-- ARGV[3]  stop       last rank
-- Returns {'page', total, mark, span, version, article, row, text, …}: false for a missing row or text
local ranking, articles, texts = KEYS[1], KEYS[2], KEYS[3]
local direction, start, stop = ARGV[1], ARGV[2], ARGV[3]

local command = direction == 'desc' and 'ZREVRANGE' or 'ZRANGE'
local ids = redis.call(command, ranking, start, stop)
local mark, span, version = unpack(redis.call('HMGET', articles, 'mark', 'span', 'version'))
local page = {'page', redis.call('ZCARD', ranking), mark or '', span or '', version or '0'}
if #ids == 0 then return page end

local rows = redis.call('HMGET', articles, unpack(ids))
local textsOfPage = redis.call('HMGET', texts, unpack(ids))
for n, article in ipairs(ids) do
  local at = #page
  page[at + 1], page[at + 2], page[at + 3] = article, rows[n], textsOfPage[n]
end
return page
