-- Has the index find an article by these words alone; one that is gone by none.
--
-- KEYS     the guild's (see `guild-keys.include.lua`)
-- ARGV[1]  article  snowflake
-- ARGV[2]  words    each once, separated by spaces; none: it is found by nothing
-- Returns {'indexed'}
--         {'unchanged'}  it is found by these
--         {'unknown'}    no such article
-- include guild-keys
-- include subjects
local article, words = ARGV[1], ARGV[2]

if redis.call('HEXISTS', texts, article) == 0 then
  forgetSubject(subjects, subjectWords, article)
  return {'unknown'}
end
local before = redis.call('HGET', subjects, article)
if before == words then return {'unchanged'} end
local old, new = listOf(before), listOf(words)
local had, has = setOf(old), setOf(new)
local added, gone = {}, {}
for _, word in ipairs(new) do if not had[word] then added[#added + 1] = word end end
for _, word in ipairs(old) do if not has[word] then gone[#gone + 1] = word end end

changeWords(subjectWords, article, gone, false)
changeWords(subjectWords, article, added, true)
redis.call('HSET', subjects, article, words)
return {'indexed'}
