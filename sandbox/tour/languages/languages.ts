import type { Locale } from 'discord-api-types/v10';
import { de } from './de.ts';
import { en } from './en.ts';
import { esES } from './es-es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { ptBR } from './pt-br.ts';
import type { WorldWords } from './world-words.ts';
import { zhCN } from './zh-cn.ts';

/** The languages that a community can speak, as Discord names them. */
const WORLDS = {
  'en-US': en,
  de,
  'es-ES': esES,
  fr,
  ja,
  'pt-BR': ptBR,
  'zh-CN': zhCN,
} satisfies Partial<Record<`${Locale}`, WorldWords>>;

export type Language = keyof typeof WORLDS;

export const LANGUAGES = Object.keys(WORLDS) as Language[];

export function wordsOf(language: Language): WorldWords {
  return WORLDS[language];
}

/**
 * The first language of a browser's list that a community can speak: `de-AT,de;q=0.9,en;q=0.8` is German.
 * English where there is none.
 */
export function languageOf(accepted: string | undefined): Language {
  const wished = (accepted ?? '')
    .split(',')
    .map((one) => {
      const [name = '', weight = ''] = one.trim().split(/;\s*q=/);
      return { name: name.toLowerCase().split('-')[0], weight: weight === '' ? 1 : Number(weight) };
    })
    .sort((a, b) => b.weight - a.weight);
  for (const { name } of wished) {
    const known = LANGUAGES.find((language) => language.toLowerCase().split('-')[0] === name);
    if (known !== undefined) return known;
  }
  return 'en-US';
}
