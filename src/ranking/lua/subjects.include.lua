-- The words of an article's subject, in `subjects`, and for each the articles that have it, in `subjectWords`: both
-- separated by spaces. Of a word that more than 40 articles have, the 41 that came last: it is common.
local function listOf(text)
  local list = {}
  for one in string.gmatch(text or '', '%S+') do list[#list + 1] = one end
  return list
end

local function setOf(list)
  local set = {}
  for _, one in ipairs(list) do set[one] = true end
  return set
end

-- Puts the article into the lists of some words, or takes it out of them. Two commands, and one more for lists that are empty then.
local function changeWords(subjectWords, article, words, isAdded)
  if #words == 0 then return end
  local lists, kept, gone = redis.call('HMGET', subjectWords, unpack(words)), {}, {}
  for n, word in ipairs(words) do
    local having = {}
    for _, one in ipairs(listOf(lists[n])) do
      if one ~= article then having[#having + 1] = one end
    end
    if isAdded then having[#having + 1] = article end
    if #having > 41 then table.remove(having, 1) end
    if #having > 0 then
      kept[#kept + 1] = word
      kept[#kept + 1] = table.concat(having, ' ')
    else
      gone[#gone + 1] = word
    end
  end
  if #kept > 0 then redis.call('HSET', subjectWords, unpack(kept)) end
  if #gone > 0 then redis.call('HDEL', subjectWords, unpack(gone)) end
end

-- Nothing of the article's words stays, so that nothing of what is erased does.
local function forgetSubject(subjects, subjectWords, article)
  changeWords(subjectWords, article, listOf(redis.call('HGET', subjects, article)), false)
  redis.call('HDEL', subjects, article)
end
