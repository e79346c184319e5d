-- The keys of a guild, which the scripts get in this order.
-- KEYS[1]  articles     hash        rows, the interesting mark, the span, the version
-- KEYS[2]  texts        hash        article -> link, title and comment
-- KEYS[3]  previews     hash        article -> picture and description
-- KEYS[4]  replies      hash        article -> messages in its discussion
-- KEYS[5]  removed      hash        article -> a removed article (see `removed.include.lua`)
-- KEYS[6]  links        hash        link hash -> article
-- KEYS[7]  postings     hash        link hash -> reservation
-- KEYS[8]  open         set         articles whose voting is not closed
-- KEYS[9]  interesting  sorted set
-- KEYS[10] scores       sorted set  the guild's ranking by score
-- KEYS[11] times        sorted set  the guild's ranking by post time
-- KEYS[12] votes        sorted set  the guild's closed articles by net votes
-- KEYS[13] voterSets    prefix      of the articles' sets of voters: member id, with a minus for down
-- KEYS[14] olderSets    prefix      of the sets of members who show the opposite reaction as well
-- A script also touches the sets of its articles, <KEYS[13]><article> and <KEYS[14]><article>, and the
-- rankings of their groups, <KEYS[10..12]>:<channel>.
local articles, texts, previews, replies = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local removed, links, postings, open = KEYS[5], KEYS[6], KEYS[7], KEYS[8]
local rankings = { interesting = KEYS[9], scores = KEYS[10], times = KEYS[11], votes = KEYS[12] }
local voterSets, olderSets = KEYS[13], KEYS[14]
