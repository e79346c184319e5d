import { domainToUnicode } from 'node:url';

/** A single one of these letters can look like a Latin one, as メ looks like x. */
const ownLetters =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]{2,}$/u;

/**
 * A host with its Chinese, Japanese and Korean labels in their own letters. All others stay in
 * punycode: they can look like the name of another site.
 */
export function shownHost(host: string): string {
  return host.replace(/(?<=^|\.)xn--[a-z0-9-]+/g, (label) => {
    const letters = domainToUnicode(label);
    return ownLetters.test(letters) ? letters : label;
  });
}
