import type { Language } from './languages/languages.ts';

/** What a start of the sandbox does, one after the other. The page can be used from the second on. */
export const PHASES = ['discord', 'bot', 'reading', 'set-up'] as const;
export type Phase = (typeof PHASES)[number];

/** What programs ask of a start; null: it is over. */
export function readiness(phase: Phase | null): { ready: true } | { ready: false; phase: Phase } {
  return phase === null ? { ready: true } : { ready: false, phase };
}

/** The browser names them too, so this file imports nothing. */
export const PHASE_NAMES: Readonly<Record<Language, Readonly<Record<Phase, string>>>> = {
  'en-US': {
    discord: 'A Discord is built',
    bot: 'The bot starts',
    reading: 'The bot reads what was posted before',
    'set-up': 'The digest and the page are set up',
  },
  de: {
    discord: 'Ein Discord wird gebaut',
    bot: 'Der Bot startet',
    reading: 'Der Bot liest, was schon gepostet wurde',
    'set-up': 'Auslese und Webseite werden eingerichtet',
  },
  'es-ES': {
    discord: 'Se construye un Discord',
    bot: 'El bot arranca',
    reading: 'El bot lee lo que ya se publicó',
    'set-up': 'Se configuran el resumen y la página',
  },
  fr: {
    discord: 'Un Discord est construit',
    bot: 'Le bot démarre',
    reading: 'Le bot lit ce qui a déjà été publié',
    'set-up': 'La revue et la page sont mises en place',
  },
  ja: {
    discord: 'Discordを作っています',
    bot: 'ボットを起動しています',
    reading: 'ボットがこれまでの投稿を読んでいます',
    'set-up': 'ダイジェストとページを設定しています',
  },
  'pt-BR': {
    discord: 'Um Discord é montado',
    bot: 'O bot inicia',
    reading: 'O bot lê o que já foi publicado',
    'set-up': 'O resumo e a página são configurados',
  },
  'zh-CN': {
    discord: '正在搭建 Discord',
    bot: '机器人正在启动',
    reading: '机器人正在读取以前的内容',
    'set-up': '正在设置精选和网页',
  },
};
