const emoji = new RegExp(
  '(?:\\p{RGI_Emoji}|[\\u{1f1e6}-\\u{1f1ff}]|\\p{Emoji_Presentation}|[#*0-9]\\ufe0f?\\u20e3|\\p{Emoji}\\ufe0f)',
  'vy',
);
/** Emoji by their code points; of these Discord draws pictures even without a variation selector. */
const drawn = new RegExp('(?![#*0-9])\\p{Emoji}', 'vy');
/** Discord leaves these as letters. */
const LETTERS = /^[™©®]/u;

/** The emoji that stands at `at`. */
export function emojiAt(text: string, at: number): string | null {
  for (const pattern of [emoji, drawn]) {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) return LETTERS.test(found) ? null : found;
  }
  return null;
}

/**
 * Names that Discord turns into an emoji in a bot's message, a part of some 3 500: short ones that stand
 * by chance in titles and addresses, and those that people write most.
 */
const NAMES = new Set(
  (
    '100 1234 a ab abc abcd alien anchor angel apple art b ball bee beer bike bird blush boat bomb book books ' +
    'bow boy brain bread bug bulb bus c cake camera car cat check cheese clap clock cloud coffee cold computer ' +
    'cool cop corn cow crab crown cry cup dart date dash dog door dove dress drop drum duck ear earth egg ' +
    'eight email end eye eyes fax fire fish five flag fog four fox free frog gear gem ghost gift girl goat grapes ' +
    'guitar hammer hash hat heart horse house hot ice id image inbox info ink jack joy key kiss knife lab ' +
    'label leaves lemon lion link lock loop lips m man map mask medal memo mic milk moon mouse music nail new ' +
    'ng nine nose notes o o2 octopus off ok ok_hand on one ox package page pager pear pen pencil phone pig ' +
    'pill pizza point_up pray pushpin python question r rabbit radio rain ram rat recycle ribbon rice ring ' +
    'robot rocket rose sa scissors scroll seven sheep ship shell shirt shrimp six skull sleep smile smiley ' +
    'snail snake snow soap sob soon sos spy star stop sun sushi swim sword tada taxi tea tent thinking three ' +
    'thumbsdown thumbsup tiger tm tools top train trophy truck turtle tv two u7121 umbrella unlock up v ' +
    'vs wand warning watch water wave wc whale wheel wink wolf woman wood worm wrench x yen zap zero zzz +1 -1'
  ).split(' '),
);

const named = /:([\w+-]{1,64}):/y;

/** The name of the standard emoji that is written at `at`. */
export function namedEmojiAt(text: string, at: number): string | null {
  named.lastIndex = at;
  const [, name = ''] = named.exec(text) ?? [];
  return NAMES.has(name) ? name : null;
}
