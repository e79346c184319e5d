-- Parses an article's row, '<up> <down> <seconds> <state><listed> <groups> <poster> <link hash>'. If the
-- message is in a thread, a space and the thread follow. Any other text gives nil. `seconds` is the post
-- time; the state is 'o' for open voting, 'k' for locked, 'c' for closed, and 's' for closed and
-- interesting (★); `listed` is 'l' for listed and 'h' for hidden.
local function parseRow(text)
  local up, down, seconds, state, listed, groups, poster, linkHash, thread =
    string.match(text or '', '^(%d+) (%d+) (%d+) (%l)(%l) (%S+) (%d+) (%S+) ?(%d*)$')
  if not up then return nil end
  return {
    up = tonumber(up), down = tonumber(down), seconds = seconds,
    state = state, closed = state == 'c' or state == 's', listed = listed,
    groups = groups, poster = poster, linkHash = linkHash, thread = thread,
  }
end

local function tallyOf(row) return string.format('%d %d', row.up, row.down) end

local function formatRow(row)
  local thread = row.thread == '' and '' or ' ' .. row.thread
  return tallyOf(row) .. ' ' .. row.seconds .. ' ' .. row.state .. row.listed .. ' '
    .. row.groups .. ' ' .. row.poster .. ' ' .. row.linkHash .. thread
end

-- A closed article keeps its ★, or stays without one, whatever the mark becomes.
local function isInteresting(row, scale)
  if row.closed then return row.state == 's' end
  return row.up >= scale.mark
end

local function closeRow(row, scale)
  row.state, row.closed = row.up >= scale.mark and 's' or 'c', true
end

-- The score is always computed from the tally, so it does not drift. To the digit that of `rules.ts`.
local function scoreOf(row, scale)
  local net = math.min(row.up - row.down, scale.mostNet)
  return string.format('%.17g', row.seconds + scale.weight * net)
end

local SPANS = ' 1 2 3 5 7 '

-- Rows by article as they are stored, and the guild's scale: the interesting mark, 200 if none is stored or
-- no number; the weight of a vote in seconds, span / mark, with a span of a day if none is stored; and the
-- net votes from which more of them add nothing: two marks, or no limit.
local function readStored(articles, ids)
  local found = redis.call('HMGET', articles, 'mark', 'span', 'limit', unpack(ids))
  local stored = {}
  for n = 1, #ids do stored[ids[n]] = found[n + 3] end
  local mark = tonumber(string.match(found[1] or '', '^[1-9]%d*$')) or 200
  local span = string.match(found[2] or '', '^%d+$') or ''
  local days = string.find(SPANS, ' ' .. span .. ' ', 1, true) and tonumber(span) or 1
  local mostNet = found[3] == 'none' and math.huge or 2 * mark
  return stored, { mark = mark, weight = days * 86400 / mark, mostNet = mostNet }
end

-- A row's `wasInteresting` stays as it is read here, whatever its votes become.
local function parseStored(text, scale)
  local row = parseRow(text)
  if row then row.wasInteresting = isInteresting(row, scale) end
  return row
end

-- The rows of articles by id, and the scale.
local function readRows(articles, ids)
  local stored, scale = readStored(articles, ids)
  local rows = {}
  for id, text in pairs(stored) do rows[id] = parseStored(text, scale) end
  return rows, scale
end

-- One article's row, nil if there is none, and the scale.
local function readRow(articles, article)
  local rows, scale = readRows(articles, {article})
  return rows[article], scale
end
