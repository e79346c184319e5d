-- Collects what one ZADD is to write: scores and members, alternating, for each ranking.
local function enter(rankings, name, score, article)
  local list = rankings[name]
  if list then
    list[#list + 1], list[#list + 2] = score, article
  else
    rankings[name] = { score, article }
  end
end
