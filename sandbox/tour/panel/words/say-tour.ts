import { filledIn, language, type Language } from '../../../page/browser/state/words.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { esES } from './es-es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { ptBR } from './pt-br.ts';
import type { TourWords } from './words.ts';
import { zhCN } from './zh-cn.ts';

const WORDS: Record<Language, TourWords> = {
  'en-US': en,
  de,
  'es-ES': esES,
  fr,
  'pt-BR': ptBR,
  ja,
  'zh-CN': zhCN,
};

export type TourWord = keyof TourWords;

/** A text of the tour in the page's language, with its `{names}` replaced. */
export function sayTour(word: TourWord, values: Record<string, string | number> = {}): string {
  return filledIn(WORDS[language()][word], values);
}
