-- An article crosses the interesting mark, one way or the other, or does not.
local function crossMark(interesting, article, seconds, mark, row, upBefore, up)
  if up >= mark then
    if upBefore < mark and string.byte(row, 10) == 108 then -- 'l', listed
      redis.call('ZADD', interesting, seconds, article)
    end
  elseif upBefore >= mark then
    redis.call('ZREM', interesting, article)
  end
end
