-- A page of articles in one round trip: the ranks asked for, each with its row.
--
-- KEYS[1]  ranking    sorted set  of the guild or of a group
-- KEYS[2]  articles   hash        rows, the interesting mark, the version
-- ARGV[1]  direction  'desc' or 'asc'
-- ARGV[2]  start      first rank, from 0
-- ARGV[3]  stop       last rank
-- Returns {'page', total, mark, version, article, row, article, row, …}: a row is nil where it is missing
local ranking, articles = KEYS[1], KEYS[2]
local direction, start, stop = ARGV[1], ARGV[2], ARGV[3]

local command = direction == 'desc' and 'ZREVRANGE' or 'ZRANGE'
local ids = redis.call(command, ranking, start, stop)
local count = #ids
ids[count + 1], ids[count + 2] = 'mark', 'version'
local rows = redis.call('HMGET', articles, unpack(ids))
local page = {'page', redis.call('ZCARD', ranking), rows[count + 1] or '200', rows[count + 2] or '0'}
for i = 1, count do
  page[2 * i + 3] = ids[i]
  page[2 * i + 4] = rows[i]
end
return page
