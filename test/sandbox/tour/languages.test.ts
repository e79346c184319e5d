import { describe, expect, test } from 'vitest';
import { LANGUAGES, languageOf, wordsOf } from '../../../sandbox/tour/languages/languages.ts';
import { awaitFirstVisit } from '../../../sandbox/tour/first-visit.ts';
import { PHASE_NAMES } from '../../../sandbox/tour/phases.ts';
import { de } from '../../../sandbox/tour/panel/words/de.ts';
import { en } from '../../../sandbox/tour/panel/words/en.ts';
import { esES } from '../../../sandbox/tour/panel/words/es-es.ts';
import { fr } from '../../../sandbox/tour/panel/words/fr.ts';
import { ja } from '../../../sandbox/tour/panel/words/ja.ts';
import { ptBR } from '../../../sandbox/tour/panel/words/pt-br.ts';
import { zhCN } from '../../../sandbox/tour/panel/words/zh-cn.ts';
import { comingIn } from '../../../sandbox/tour/web/pages-coming.ts';
import { POSTED, UNPOSTED } from '../../../sandbox/tour/web/pages.ts';
import { canonicalOf } from '../../../src/ranking/links/parse.ts';

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['en-GB', 'en-US'],
  ['sv;q=0.9, ja;q=0.8', 'ja'],
  ['en;q=0.5, pt-PT', 'pt-BR'],
  ['es-419', 'es-ES'],
  ['zh-TW,zh;q=0.9', 'zh-CN'],
  ['*', 'en-US'],
  [undefined, 'en-US'],
])('a browser that accepts %s gets a community that speaks %s', (accepted, language) => {
  expect(languageOf(accepted)).toBe(language);
});

test('the first browser is told in its language that the sandbox starts, and the world can speak it', async () => {
  const visit = await awaitFirstVisit(0);
  const ready = await fetch(`${visit.address}/sandbox/ready`);
  expect(await ready.json()).toEqual({ ready: false, phase: 'discord' });
  const page = await fetch(visit.address, { headers: { 'accept-language': 'fr-CA,fr' } });
  const text = await page.text();
  expect(text).toContain('Le bac à sable démarre');
  for (const name of Object.values(PHASE_NAMES.fr)) expect(text).toContain(`>${name}</li>`);
  expect(await visit.language).toBe('fr');
  await visit.stop();
});

describe.each(LANGUAGES)('a community that speaks %s', (language) => {
  const { channels, people, newcomers } = wordsOf(language);

  test('a community of each language has channels with names that Discord would keep as they are', () => {
    const names = Object.values(channels).map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[\p{Ll}\p{Lo}\p{Lm}\d-]{1,100}$/u);
  });

  test('a community of each language has members of different names', () => {
    const names = [...people, ...newcomers].flat();
    expect(people).toHaveLength(12);
    expect(new Set(names).size).toBe(names.length);
  });

  test('a community of each language never posts the same page twice, and has enough of them for a month', () => {
    const { pages } = wordsOf(language);
    const coming = comingIn(language);
    const all = [...Object.values(POSTED).flat(), ...UNPOSTED, ...pages];
    const links = [...all.map(({ link }) => link), ...coming.map(({ page }) => page.link)];
    const names = links.map((link) => canonicalOf(link));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    expect(coming.length).toBeGreaterThan(165);
    const sites = new Set(coming.map(({ page }) => new URL(page.link).host));
    expect(sites.size).toBeGreaterThan(120);
  });
});

/** The buttons, commands and channels in a text. */
const named = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].flat().sort();

test('each text of the tour names the same buttons, commands and channels in all languages', () => {
  for (const [key, text] of Object.entries(en)) {
    for (const words of [de, esES, fr, ja, ptBR, zhCN]) {
      const own = named(words[key as keyof typeof en]);
      expect([key, own]).toEqual([key, named(text)]);
    }
  }
});
