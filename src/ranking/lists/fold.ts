/** Letters that are no letter with an accent to Unicode, and look like one to readers. */
const ALIKE: Record<string, string> = {
  đ: 'd',
  ð: 'd',
  ø: 'o',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
};

/**
 * One form for texts that a reader takes for the same: in any case (ß as ss; I, İ, ı and i as one) and
 * width, with typographic or plain quotes, with any hyphen or dash, with or without joiners, in katakana or
 * hiragana, with or without the long vowel at the end of a word in katakana.
 */
export function folded(text: string): string {
  if (/^[ -_a-~]*$/.test(text)) return text.toLowerCase();
  return (
    text
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .replace(/[‘’‚‛ʼʹ′`´]/g, "'")
      .replace(/[“”„‟″«»]/g, '"')
      .replace(/[\u2010-\u2015\u2212\u2e3a\u2e3b]/g, '-')
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replace(/ς/g, 'σ')
      .replace(/i\u0307/g, 'i')
      .normalize('NFKC')
      // サーバ is サーバー, and ヶ is ケ.
      .replace(/(?<=[ァ-ヺ])ー(?![ァ-ヺー])/g, '')
      .replace(/ヶ/g, 'ケ')
      .replace(/ヵ/g, 'カ')
      .replace(/[ァ-ヶヽヾ]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - KATAKANA_AFTER))
  );
}

/** How far a sign of katakana stands behind its sign of hiragana in Unicode. */
const KATAKANA_AFTER = 0x60;

/** A folded text without the signs within its words: `nodejs` for `node.js`, `gpt4o` for `gpt-4o`. */
function withoutSigns(text: string): string {
  return text.replace(/(?<=[\p{L}\p{N}])[.'’_/+·・-](?=[\p{L}\p{N}])/gu, '');
}

/** A folded text without the accents of Latin, Greek and Cyrillic letters, and Arabic vowel signs. */
export function withoutAccents(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f\u064b-\u0652\u0670]/g, '')
    .replace(/[đðøłħŧþæœ]/g, (letter) => ALIKE[letter]!)
    .normalize('NFC');
}

/**
 * Whether a text contains each of some folded words. A word without accents finds the letters that have
 * some, and one without signs the words that have some within; a word that has them finds only these.
 */
export function containsWords(text: string, words: readonly string[]): boolean {
  const whole = folded(text);
  const bare = withoutAccents(whole);
  const joined = withoutSigns(bare);
  return words.every(
    (word) => whole.includes(word) || bare.includes(word) || joined.includes(word),
  );
}
