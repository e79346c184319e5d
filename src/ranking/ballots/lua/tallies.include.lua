-- Why a member's vote on an article cannot be changed; nil where it can.
local function refusalOf(row, member)
  if not row then return 'unknown' end
  if row.state == 'c' then return 'closed' end
  if row.state == 'k' then return 'locked' end
  if row.poster == member then return 'poster' end
end

-- Puts new tallies where they show: `changed` has article -> { row, seconds, upBefore }.
-- Calls: HSET, and a ZADD for each ranking; one more where an article crosses the interesting mark.
local function saveTallies(articles, scores, interesting, mark, changed)
  local writes, places = {}, { [scores] = {} }
  for article, change in pairs(changed) do
    local row, seconds = change.row, change.seconds
    writes[#writes + 1], writes[#writes + 2] = article, formatRow(row)
    local score = scoreOf(row, seconds, mark)
    local inGuild = places[scores]
    inGuild[#inGuild + 1], inGuild[#inGuild + 2] = score, article
    for group in string.gmatch(row.groups, '%d+') do
      local ranking = scores .. ':' .. group
      local inGroup = places[ranking] or {}
      places[ranking] = inGroup
      inGroup[#inGroup + 1], inGroup[#inGroup + 2] = score, article
    end
    if row.up >= mark and change.upBefore < mark and row.listed == 'l' then
      redis.call('ZADD', interesting, seconds, article)
    elseif row.up < mark and change.upBefore >= mark then
      redis.call('ZREM', interesting, article)
    end
  end
  if #writes == 0 then return end
  redis.call('HSET', articles, unpack(writes))
  -- An article is moved only where it stands already (XX): who is listed is decided elsewhere.
  for ranking, list in pairs(places) do redis.call('ZADD', ranking, 'XX', unpack(list)) end
end
