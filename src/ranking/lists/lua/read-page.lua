-- A page of articles in one round trip: the ranks from start to stop, each with its row and its text.
--
-- KEYS[1]  ranking    sorted set  of the guild or of a group
-- KEYS[2]  articles   hash        rows, the interesting mark, the version
-- KEYS[3]  texts      hash        article -> link, title and comment
-- ARGV[1]  direction  'desc' or 'asc'
-- ARGV[2]  start      first rank, from 0
-- ARGV[3]  stop       last rank
-- Returns {'page', total, mark, version, article, row, text, …}: false for a missing row or text
local ranking, articles, texts = KEYS[1], KEYS[2], KEYS[3]
local direction, start, stop = ARGV[1], ARGV[2], ARGV[3]

local command = direction == 'desc' and 'ZREVRANGE' or 'ZRANGE'
local ids = redis.call(command, ranking, start, stop)
local count = #ids
local read = count > 0 and redis.call('HMGET', texts, unpack(ids))
ids[count + 1], ids[count + 2] = 'mark', 'version'
local rows = redis.call('HMGET', articles, unpack(ids))
local page = {'page', redis.call('ZCARD', ranking), rows[count + 1] or '', rows[count + 2] or '0'}
for i = 1, count do
  page[3 * i + 2] = ids[i]
  page[3 * i + 3] = rows[i]
  page[3 * i + 4] = read[i]
end
return page
