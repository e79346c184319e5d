import { de } from '../words/de.ts';
import { en } from '../words/en.ts';
import { esES } from '../words/es-es.ts';
import { fr } from '../words/fr.ts';
import { ja } from '../words/ja.ts';
import { ptBR } from '../words/pt-br.ts';
import type { Words } from '../words/words.ts';
import { zhCN } from '../words/zh-cn.ts';
import { locale } from './state.ts';

/** The languages of the page, as Discord names them, and each as its speakers call it. */
export const LANGUAGES = {
  'en-US': 'English',
  de: 'Deutsch',
  'es-ES': 'Español',
  fr: 'Français',
  'pt-BR': 'Português do Brasil',
  ja: '日本語',
  'zh-CN': '中文',
} as const;
export type Language = keyof typeof LANGUAGES;

const WORDS: Record<Language, Words> = {
  'en-US': en,
  de,
  'es-ES': esES,
  fr,
  'pt-BR': ptBR,
  ja,
  'zh-CN': zhCN,
};

/** The language of the page: the member's, or English where the page does not have it. */
export function language(): Language {
  const [wished] = locale().split('-');
  const known = Object.keys(LANGUAGES) as Language[];
  return known.find((one) => one.split('-')[0] === wished) ?? 'en-US';
}

/** For what only the sandbox's makers read: English, or Chinese where the page is in Chinese. */
export function either([english, chinese]: readonly [string, string]): string {
  return language() === 'zh-CN' ? chinese : english;
}

export function say(word: keyof Words, values: Record<string, string | number> = {}): string {
  return filledIn(WORDS[language()][word], values);
}

/** A text with its `{names}` replaced. */
export function filledIn(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
