import { describe, expect, test } from 'vitest';
import { hasWords, storedWords } from '../../src/community/blocked-words.ts';
import { spellings } from '../../src/community/spellings.ts';

const isIn = (phrase: string, text: string) =>
  hasWords(spellings(text), storedWords(phrase) ?? 'nothing');

describe('blocked words', () => {
  test.each([
    ['spam', 'No SPAM, please'],
    ['spam', 'ѕраm'],
    ['spam', 'ЅРАМ'],
    ['spam', 'ＳＰＡＭ'],
    ['spam', '𝓼𝓹𝓪𝓶'],
    ['spam', 'ꜱᴘᴀᴍ'],
    ['spam', '🅢🅟🅐🅜'],
    ['spam', 's p a m'],
    ['spam', 's.p.a.m'],
    ['spam', 'spaм'],
    ['fuck', 'fucк'],
    ['rolex', 'Ʀolex'],
    ['ʀolex', 'Rolex'],
    ['spam', 'I s p a m you'],
    ['free nitro', 'FreeNitro'],
    ['*a*a*b', 'xxaxxaxxb'],
    ['spam', 's\u200bp\u00ada\u2060m'],
    ['scam', 'ѕϲαm'],
    ['scam', 's\u3164cam'],
    ['scam', 's\ufe0fc\u115fam'],
    ['scam', 'sc\u2800am'],
    ['scam', 'scam\u3164here'],
    ['scam', '**s**c||am||'],
    ['scam', 'ᔕᑕᗩᗰ'],
    ['spam', '5p@m'],
    ['spam', 'spàm'],
    ['spam', '||spam||'],
    ['paypal', 'paypaI'],
    ['modern', 'MODERN'],
    ['büro', 'Buro'],
    ['buro', 'BÜRO'],
    ['спам', 'С п а м'],
    ['free nitro', 'FREE – nitro!'],
    ['scam*', 'S C A M M E R'],
    ['*coin', 'Bitcoin'],
    ['f*k', 'frak'],
    ['仮想通貨', 'この仮想通貨は'],
    ['スパム', 'ｽﾊﾟﾑ'],
    ['加密货币', '免费加 密 货 币'],
    // As an address, a page or a mail writes them.
    ['free nitro', 'free%20nitro'],
    ['free nitro', 'Free%2520NITRO'],
    ['free nitro', 'free=20nitro'],
    ['free nitro', 'free &nbsp nitro'],
    ['free nitro', 'free&nbsp;nitro'],
    ['free nitro', 'free&amp;nbsp;nitro'],
    ['free nitro', 'free&ensp;nitro'],
    ['scam', '%73c%61m'],
    ['scam', '%73%63%61%6d%ff'],
    ['scam', 'sccaaammm'],
    ['scam', 'sc%C3%A4m'],
    ['scam', 'sc&#97;m'],
    // No character has this number.
    ['scam', 'sc&#9999999;am'],
    ['scam', 'sc\\u{110000}am'],
    ['scam', '&#115&#x63&#97&#109'],
    ['scam', 'sc&aacute;m'],
    ['scam', '&sopf;c&afr;m'],
    ['scam', 'sc&shy;am'],
    ['scam', 'sc&ZeroWidthSpace;am'],
    ['scam', 's&period;c&period;a&period;m'],
    ['scam', '\\u0073\\x63am'],
    // As Markdown marks them, in the word.
    ['scam', '[s](https://a.example/b)cam'],
    ['scam', '[s](https://a.example/(b))[c](<https://b.example> "t")am'],
    ['scam', '[s][1]cam'],
    ['scam', '[5](a)c[4](b)m'],
    ['scam', 's<b>c</b>am'],
    ['scam', 's<:a:123>cam'],
    ['scam', 's\\c\\am'],
    ['scammer*', '||s||__c__**a**~~m~~`mers`'],
    // With signs in the word.
    ['scam', 'sc-am'],
    ['scam', '[s]cam'],
    ['scam', '(s)(c)am!'],
    ['scam', 's.cam'],
    ['free nitro', 'f r e e nitro'],
    ['free nitro', 'fr.ee n/itro'],
    // In letters that Unicode takes for others.
    ['scam', 's҉c҉a҉m҉'],
    ['scam', 's⃝c⃝a⃝m⃝'],
    ['scam', 's̷̢c᪰a᷄m'],
    ['scam', 'ʂƈⱥɱ'],
    ['scam', 'ȿȼᶏᶆ'],
    ['free nitro', '🆓 nitro'],
    ['scam', '5️⃣cam'],
    ['hello', 'h311o'],
    ['clown', 'c1own'],
    ['scam', 'SCAAAM'],
    ['hello', 'hellooo'],
  ])('%s is found in %s', (phrase, text) => {
    expect(isIn(phrase, text)).toBe(true);
  });

  test.each([
    ['spam', 'spammers'],
    ['spam', 'wispam'],
    ['spam', 'It has pam'],
    ['ass', 'classes'],
    ['*ass*', 'it has several'],
    ['free nitro', 'free the nitro'],
    ['*coin', 'coins'],
    ['f*k', 'f and k'],
    ['sex', 'Trump’s ex-lawyer'],
    ['tit', 'Isn’t it'],
    ['anal', 'An al-Qaeda leader'],
    ['penis', 'The pen is mightier'],
    ['ass', '455 dead'],
    ['hell', 'He’ll be back, and she’ll too'],
    ['*ass*', 'has-seen'],
    ['ass', 'a%73'],
    ['if', 'size=20, a < b and c > d'],
    ['anal', 'an & al'],
    ['scam', '[s](https://a.example) cam'],
    ['scam', 'https://cam.example/s'],
    ['fall', 'fail'],
    ['of', 'off'],
    ['vi', 'www.vili.example'],
    ['tat', 'AT&T'],
    ['free nitro', 'free % 20 nitro'],
    // No text in UTF-8.
    ['scam', 'sc%ffam'],
    ['丶', 'a \\ sign'],
    ['ʔab', 'ab'],
    ['*a*a*a*b', 'aaaa'],
    ['a*ab', 'ab'],
  ])('%s is not found in %s', (phrase, text) => {
    expect(isIn(phrase, text)).toBe(false);
  });

  test('a long word takes no longer than its length', () => {
    const text = spellings('a'.repeat(4000));
    const startedMs = process.cpuUsage().user;
    for (let n = 0; n < 100; n += 1) expect(hasWords(text, '*a*a*a*b')).toBe(false);
    // Microseconds of a hundred tries: a pattern that goes back would take years.
    expect(process.cpuUsage().user - startedMs).toBeLessThan(2_000_000);
  });

  test.each([
    ['brackets', '['.repeat(8000)],
    ['links', '[]('.repeat(2600)],
    ['links within links', `[](${'(a)'.repeat(2600)}`],
    ['tags', '<a'.repeat(4000)],
    ['escapes of escapes', '%25'.repeat(2600)],
    ['entities', '&amp;'.repeat(1600)],
    ['letters apart', 'a '.repeat(4000)],
    ['drawn-out letters', 'aaab'.repeat(2000)],
    ['marks', `a${'\u0301'.repeat(8000)}`],
  ])('no text takes long to be read, such as one of %s', (_, text) => {
    const startedMs = process.cpuUsage().user;
    hasWords(spellings(text), '*a*b*c*');
    // Microseconds, of which it takes some ten thousand.
    expect(process.cpuUsage().user - startedMs).toBeLessThan(2_000_000);
  });

  test('what is stored is folded, and says enough to be looked for', () => {
    expect(storedWords('  Free   NITRO! ')).toBe('free nitro');
    expect(storedWords('死')).toBe('死');
    for (const typed of ['Ʀolex', 'ʔab', '丶', 'ŁÓDŹ', 'ﬁsh**']) {
      expect(storedWords(storedWords(typed)!)).toBe(storedWords(typed));
    }
    for (const typed of ['', 'a', '*', '*a*', '!?', 'a'.repeat(101), '*a*b*c*d*']) {
      expect(storedWords(typed)).toBeNull();
    }
  });
});
