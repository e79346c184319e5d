-- The reason why a member's vote on an article cannot be changed; nil if it can.
local function refusalOf(row, member)
  if not row then return 'unknown' end
  if row.state == 'c' then return 'closed' end
  if row.state == 'k' then return 'locked' end
  if row.poster == member then return 'poster' end
end

-- Writes the tallies to the articles' rows and rankings. A changed row has the post time, `seconds`, and
-- the up votes that it had before, `upBefore`; other rows are left as they are.
-- Redis calls: one HSET, one ZADD for each ranking, and one for each article that crosses the mark.
local function saveTallies(articles, scores, interesting, mark, rows)
  local writes, inGuild, inGroups = {}, {}, {}
  for article, row in pairs(rows) do
    if row.seconds then
      local score, at = scoreOf(row, row.seconds, mark), #writes
      writes[at + 1], writes[at + 2] = article, formatRow(row)
      inGuild[at + 1], inGuild[at + 2] = score, article
      for group in string.gmatch(row.groups, '%d+') do
        local inGroup = inGroups[group] or {}
        inGroups[group] = inGroup
        inGroup[#inGroup + 1], inGroup[#inGroup + 2] = score, article
      end
      if row.up >= mark and row.upBefore < mark and row.listed == 'l' then
        redis.call('ZADD', interesting, row.seconds, article)
      elseif row.up < mark and row.upBefore >= mark then
        redis.call('ZREM', interesting, article)
      end
    end
  end
  if #writes == 0 then return end
  redis.call('HSET', articles, unpack(writes))
  -- XX: update only the rankings that contain the article. Other scripts decide where it is listed.
  redis.call('ZADD', scores, 'XX', unpack(inGuild))
  for group, list in pairs(inGroups) do redis.call('ZADD', scores .. ':' .. group, 'XX', unpack(list)) end
end
