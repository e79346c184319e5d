-- Takes a word out of a list that a member keeps, or puts one at its front.
--
-- KEYS[1]  personal  hash     see `stored-personal.ts`
-- ARGV[1]  field     string   the list
-- ARGV[2]  most      integer  the words that it has room for
-- ARGV[3]  seconds   integer  after which a member who does not come back is forgotten
-- ARGV[4]  act       string   'add' or 'drop'
-- ARGV[5]  word      string   without a line feed
-- Returns {'changed'}
--         {'full'}  there is no room for it
local personal, field = KEYS[1], ARGV[1]
local most, seconds = tonumber(ARGV[2]), tonumber(ARGV[3])
local act, word = ARGV[4], ARGV[5]
-- include words

local list = wordsIn(redis.call('HGET', personal, field))
local words = act == 'add' and changed(list, {}, {word}) or changed(list, {word}, {})
if act == 'add' and #words > most then return {'full'} end

saveWords(personal, field, words, most)
redis.call('EXPIRE', personal, seconds)
return {'changed'}
