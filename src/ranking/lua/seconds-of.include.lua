-- An article's post time in seconds, which its id tells: the bits above the 22nd are milliseconds since
-- 2015. An id fits no Lua number, but either part of it does, and so does all that is made of them.
local function secondsOf(article)
  local high = #article > 9 and string.sub(article, 1, -10) + 0 or 0
  local rest = high % 4194304
  local low = math.floor((rest * 1000000000 + string.sub(article, -9)) / 4194304)
  return math.floor(((high - rest) / 4194304 * 1000000000 + low + 1420070400000) / 1000)
end
