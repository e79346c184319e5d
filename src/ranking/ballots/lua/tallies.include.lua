-- The reason why a member's vote on an article cannot be changed; nil if it can.
local function refusalOf(row, member)
  if not row then return 'unknown' end
  if row.closed then return 'closed' end
  if row.state == 'k' then return 'locked' end
  if row.poster == member then return 'poster' end
end

-- Writes changed tallies to the articles' rows and rankings. `changed` holds each article's row, as
-- `readRows` read it but for the votes.
-- Redis calls: one HSET, one ZADD for each ranking, and three for each article that crosses the mark. A
-- group has a ZADD for each different list of groups that names it.
local function saveTallies(articles, rankings, scale, changed)
  local writes, inGuild, byGroups = {}, {}, {}
  for article, row in pairs(changed) do
    local score, at = scoreOf(row, scale), #writes
    writes[at + 1], writes[at + 2] = article, formatRow(row)
    inGuild[at + 1], inGuild[at + 2] = score, article
    local inGroups = byGroups[row.groups] or {}
    byGroups[row.groups] = inGroups
    inGroups[#inGroups + 1], inGroups[#inGroups + 2] = score, article
    local interesting = isInteresting(row, scale)
    if interesting ~= row.wasInteresting then show(article) end
    if interesting and not row.wasInteresting and row.listed == 'l' then
      redis.call('ZADD', rankings.interesting, row.seconds, article)
      announce()
    elseif row.wasInteresting and not interesting then
      redis.call('ZREM', rankings.interesting, article)
    end
  end
  if #writes == 0 then return end
  redis.call('HSET', articles, unpack(writes))
  -- XX: update only the rankings that contain the article. Other scripts decide where it is listed.
  redis.call('ZADD', rankings.scores, 'XX', unpack(inGuild))
  for groups, inGroups in pairs(byGroups) do
    for group in string.gmatch(groups, '%d+') do
      redis.call('ZADD', rankings.scores .. ':' .. group, 'XX', unpack(inGroups))
    end
  end
end
