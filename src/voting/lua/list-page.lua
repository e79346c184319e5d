-- A page of articles in one round trip: the ranks asked for, each with its row.
--
-- KEYS[1]  ranking    sorted set  of the guild or of a group
-- KEYS[2]  articles   hash        rows, and the guild's interesting mark
-- ARGV[1]  direction  'desc' or 'asc'
-- ARGV[2]  start      first rank, from 0
-- ARGV[3]  stop       last rank
-- Returns {'page', total, mark, article, row, article, row, …}: a row is false where it is missing
local ranking, articles = KEYS[1], KEYS[2]
local direction, start, stop = ARGV[1], ARGV[2], ARGV[3]

local command = direction == 'desc' and 'ZREVRANGE' or 'ZRANGE'
local ids = redis.call(command, ranking, start, stop)
local page = {'page', redis.call('ZCARD', ranking), '200'}
local count = #ids
if count == 0 then return page end
ids[count + 1] = 'mark'
local rows = redis.call('HMGET', articles, unpack(ids))
if rows[count + 1] then page[3] = rows[count + 1] end
for i = 1, count do
  page[2 * i + 2] = ids[i]
  page[2 * i + 3] = rows[i]
end
return page
