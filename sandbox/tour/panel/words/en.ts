/**
 * The texts of the tour. A text that is missing in another language does not compile. Commands, buttons
 * and channels are named as the bot and the server name them: `{post}`, `{setUpButton}`, `{general}`.
 */
export const en = {
  label: 'The tour',
  button: '🧭 Tour',
  tour: 'Tour',
  'lead.month':
    'Members post links and vote; the best reach the front page. Try it in {steps} steps.',
  'lead.empty':
    'You are the admin, and the bot has just arrived. Nothing happens here by itself: nobody else posts or votes, unless you act as them (top of the page).',
  'lead.links':
    'You are the admin of a server with two months of links, and the bot has just arrived. Nothing happens here by itself: nobody else posts or votes, unless you act as them (top of the page).',
  after:
    'That was the tour. Everything here keeps working: try what you like. For your own server, see docs/hosting.md.',
  webPage: 'The same front page on the web',
  done: 'done',
  toDo: 'to do',
  busy: 'One moment…',
  show: 'Show me',
  showAsModerator: 'Show me, as the moderator',
  showAsAdmin: 'Show me, as the admin',
  showAsMember: 'Show me, as another member',
  'set-up.title': 'Set up the digest',
  'set-up.text':
    'Press “{setUpButton}” under the bot’s message, then “{beginButton}”. Each of its lines can be changed.',
  'import.title': 'Begin with the links that are here',
  'import.text':
    'Press “{importButton}” under the bot’s welcome, then “{beginButton}”. You see a preview before anything is imported.',
  'report.title': 'Read the report',
  'report.text':
    'In a moment, the bot reports in {general}: what was imported, what was left out, and the ten best.',
  'board.title': 'Put up the board',
  'board.text':
    'On the panel, press “{boardButton}” and choose {frontPage}: one message there always shows the ten best.',
  'post.title': 'Post a link',
  'post.text':
    '{post} makes an article of a link. Press “{run}”; a moment later it has the page’s title and preview.',
  'vote.title': 'Vote on an article',
  'vote.text': 'Click 👍 under someone else’s article. The reaction is the vote.',
  'switch.title': 'Change your mind',
  'switch.text': 'Click 👎 on the same article: your vote is now a 👎.',
  'climb.title': 'Watch an article climb',
  'climb.text': 'The front page, live. Let readers vote for its last article, until it leads.',
  'climb.action': 'Let them vote',
  'climb.label': 'The front page, live',
  'climb.none': 'Nothing is posted yet.',
  'climb.few': 'An article needs another one above it to climb. Post two links first.',
  'top.title': 'Read the front page',
  'top.text':
    '{top} lists the best articles, to you alone. Votes lift an article, and age lets it sink.',
  'told.title': 'Hear what became of yours',
  'told.text':
    'The first reply to an article begins its thread, with its poster in it. First the bot says what was here before on the subject, later that it became ★. Have someone reply to yours, and others vote.',
  'told.action': 'Let them reply and vote',
  'mine.title': 'See what became of your links',
  'mine.text':
    '{mine} says of each of your links how high it got, which digest it led, and until when it can be voted on. You change or remove it there, too.',
  'new.title': 'See what is new for you',
  'new.text':
    '{newForMe} shows what came since you last looked, best first, and it ends. It leaves out what you posted, voted on or muted.',
  'needs-vote.title': 'Be the first to judge',
  'needs-vote.text':
    '{top} with “{needsVote}” lists what only its poster has voted for, the oldest first.',
  'save.title': 'Save a link for yourself',
  'save.text':
    'In the menu of an article’s message, choose “{saveForMe}”. {saved} lists what you saved, to you alone.',
  'mute.title': 'Mute what you don’t care for',
  'mute.text':
    'In the menu of an article’s message, choose “{whyThisRank}”, and below the answer, at “{muteSelect}”, its site or its poster. Only your own lists leave it out.',
  'flag.title': 'Tell the moderators',
  'flag.text':
    'In the menu of an article’s message, choose “{flagCommand}” and a reason. Only moderators see who reported; {reports} lists what waits for them.',
  'group.title': 'List an article in a second channel',
  'group.text': 'Every channel is a topic. A moderator can list an article in another one too.',
  'remove.title': 'End a spammer by one form',
  'remove.text':
    'In the menu of an article’s message, choose “{moderateCommand}”, then “{removeButton}”. The form also blocks poster and site and removes the poster’s other links. “{undoButton}” brings it all back.',
  'words.title': 'Keep words out',
  'words.text':
    '{block} keeps words out of titles and comments, in whatever spelling. Press “{run}”; a link titled “FR33 N1TRO” is refused then.',
  'words.value': 'free nitro',
  'digest.title': 'Let the digest come',
  'digest.text':
    'Once a day, the best is posted to {frontPage}. Move the clock to tomorrow’s; members post meanwhile, and the bot posts within a minute.',
  'digest.alone':
    'The digest comes at its hour, with articles that got a vote from someone else. No need to wait: move the clock. Nobody posts meanwhile.',
  'digest.action': 'Go to the next digest',
  'digest.none': 'There is no digest yet. The admin sets one up with {panel} or {set}.',
  'recount.title': 'Lose the connection',
  'recount.text':
    'Cut the bot off from Discord, vote meanwhile, and connect it again: a recount finds the vote.',
  'recount.cut': 'Cut the connection',
  'recount.giveBack': 'Give it back',
  'recount.missed': 'The bot missed that vote. Give the connection back.',
  'recount.isCut': 'The connection is cut. Vote on an article now.',
  'recount.connecting': 'The bot is connecting again and will recount…',
  'feed.title': 'Find a link in a feed',
  'feed.text':
    'A feed pours links into {rust}. Put 👍 on one that somebody likes already: it becomes an article, found by who was first, and both 👍 are votes.',
  'signs.title': 'Vote as your community wants',
  'signs.text':
    'On the panel, “{votesSetting}” offers 👍 alone; at “{upSetting}”, type spark, an emoji of this server. Then post a link: it has what you chose, and earlier articles keep theirs.',
  'check-up.title': 'Run the check-up',
  'check-up.text':
    'As the admin, press “{checkUpButton}” on the panel: it says whether all is well.',
  nothingToVote: 'There is nothing here to vote on: post a link as someone else first.',
  voteFirst: 'Vote on an article first.',
};
