-- Puts an article's new tally where it shows: its row, its rankings, the interesting list.
-- `groups` are the row's. Needs score, cross-mark and rank.
-- Calls: HSET and one ZADD a ranking; one more only when the article crosses the interesting mark.
local function saveTally(articles, scores, interesting, article, seconds, mark, row, groups, upBefore, up, down)
  row = struct.pack('>I4I4', up, down) .. string.sub(row, 9)
  redis.call('HSET', articles, article, row)
  rank(scores, groups, article, scoreOf(seconds, mark, up - down))
  crossMark(interesting, article, seconds, mark, row, upBefore, up)
end
