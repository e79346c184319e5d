-- Publishes changed articles to the other processes, with their current rows and a version raised by
-- one, and updates their places in the front order if that exists.
--
-- KEYS[1]  articles     hash        rows, the interesting mark, the version
-- KEYS[2]  changes      channel     of the published messages
-- KEYS[3]  front        sorted set  the front order; may be absent
-- KEYS[4]  filling      sorted set  a front order that is being filled; may be absent
-- KEYS[5]  loudness     hash        channel -> the weight factor of a vote there in the front order
-- KEYS[6]  texts        hash        article -> link and title
-- ARGV[1]  size         the number of articles that the front order keeps
-- ARGV[2..] articles    snowflake and post time in seconds, alternating
-- The message is '<version>\n<mark>\n', then for each article
-- '<id>\n<bytes of its row>\n<bytes of its text>\n<row><text>'; no row: the article is gone.
-- Returns {'published', version}
-- include row
-- include front
local articles, changes, front, filling, loudness = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local texts = KEYS[6]
local size, changed = tonumber(ARGV[1]), { unpack(ARGV, 2) }

local fields, count = {'mark'}, #changed / 2
for n = 1, count do fields[n + 1] = changed[n * 2 - 1] end
local rows = redis.call('HMGET', articles, unpack(fields))
local read = redis.call('HMGET', texts, unpack(fields))
local mark = tonumber(rows[1]) or 200
local version = redis.call('HINCRBY', articles, 'version', 1)
local message = {string.format('%d\n%d\n', version, mark)}
local fronts = {}
if redis.call('EXISTS', front) == 1 then fronts[#fronts + 1] = front end
if redis.call('EXISTS', filling) == 1 then fronts[#fronts + 1] = filling end
for n = 1, count do
  local article, row, at = fields[n + 1], rows[n + 1], n * 3 - 1
  local text = row and read[n + 1] or ''
  message[at] = string.format('%s\n%d\n%d\n', article, row and #row or 0, #text)
  message[at + 1], message[at + 2] = row or '', text
  for _, order in ipairs(fronts) do
    enterFront(order, loudness, article, changed[n * 2], mark, parseRow(row))
  end
end
for _, order in ipairs(fronts) do redis.call('ZREMRANGEBYRANK', order, 0, -1 - size) end
redis.call('PUBLISH', changes, table.concat(message))
return {'published', version}
