-- A list in a field of a member's hash: its words, each on a line of its own, the first one first.
local function wordsIn(text)
  local words = {}
  for word in string.gmatch(text or '', '[^\n]+') do words[#words + 1] = word end
  return words
end

-- The words of `front`, then those of `list` that stand neither in it nor in `out`.
local function changed(list, out, front)
  local taken, words = {}, {}
  for _, word in ipairs(out) do taken[word] = true end
  for _, some in ipairs({front, list}) do
    for _, word in ipairs(some) do
      if not taken[word] then words[#words + 1] = word end
      taken[word] = true
    end
  end
  return words
end

local function saveWords(key, field, words, most)
  local text = table.concat(words, '\n', 1, math.min(#words, most))
  if text == '' then redis.call('HDEL', key, field) else redis.call('HSET', key, field, text) end
end
