import { expect, test } from 'vitest';
import { knownLocale } from '../../../sandbox/page/browser/state/known-locale.ts';

test.each([
  ['de-AT', 'de'],
  ['ja', 'ja'],
  ['pt-BR', 'pt-BR'],
  ['zh-TW', 'zh-CN'],
  ['eo', 'en-US'],
])('in a browser that speaks %s, a Discord client speaks %s', (browsers, discords) => {
  expect(knownLocale(browsers)).toBe(discords);
});
