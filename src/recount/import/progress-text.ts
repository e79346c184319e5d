import { button, row, type Row } from '../../discord/interactions/components.ts';
import { timestamp } from '../../text/mentions.ts';
import type { Shown } from '../../discord/interactions/progress-message.ts';
import { type Counts, FATES, type ImportState } from '../../records/history/imports.ts';
import { translate } from '../../text/catalogue.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { type UnreadPlace, unreadText } from '../history/unread.ts';

/** A button's custom id is `frontpage|import|<what>|<run>`. */
export const IMPORT_BUTTONS = ['go', 'again', 'leave', 'cancel'] as const;
type ImportButton = (typeof IMPORT_BUTTONS)[number];

type Locale = string | null;

export function lookingShown(locale: Locale, channel: Snowflake): Shown {
  return { content: translate(locale, 'import.begun', { channel: `<#${channel}>` }) };
}

export function lookShown(
  locale: Locale,
  { run, plan, counts }: Pick<ImportState, 'run' | 'plan' | 'counts'>,
  upToMs: number,
): Shown {
  const { messages, imported: links } = counts;
  const day = timestamp(upToMs, 'D');
  const values = { channel: `<#${plan.channel}>`, messages, links, day };
  return {
    content: translate(locale, 'import.looking', values),
    components: [buttons(locale, run, ['cancel'])],
  };
}

/** Shows the result of the dry run, with buttons to import or leave it. `atMs`: it was done then. */
export function foundShown(
  locale: Locale,
  { run, plan, counts, unread }: Pick<ImportState, 'run' | 'plan' | 'counts' | 'unread'>,
  atMs?: number,
): Shown {
  const { messages, imported, voted } = counts;
  const values = { channel: `<#${plan.channel}>`, messages, imported, voted };
  const lines = [
    ...(imported > 0
      ? [translate(locale, 'import.found', values), ...fateLines(locale, counts)]
      : [translate(locale, 'import.nothing', values), ...reasonLines(locale, counts)]),
    ...unreadLines(locale, unread),
    ...(imported > 0 ? [translate(locale, 'import.ask')] : []),
    ...(atMs === undefined
      ? []
      : [translate(locale, 'import.looked', { when: timestamp(atMs, 'R') })]),
  ];
  const offered: ImportButton[] = imported > 0 ? ['go', 'leave'] : [];
  if (atMs !== undefined) offered.push('again');
  return {
    content: lines.join('\n'),
    components: offered.length > 0 ? [buttons(locale, run, offered)] : [],
  };
}

export function runningShown(
  locale: Locale,
  { run, plan, counts, found }: Pick<ImportState, 'run' | 'plan' | 'counts' | 'found'>,
): Shown {
  const { messages, imported } = counts;
  const of = Math.max(found.messages, messages);
  const values = { channel: `<#${plan.channel}>`, messages, of, imported };
  return {
    content: translate(locale, 'import.running', values),
    components: [buttons(locale, run, ['cancel'])],
  };
}

export function endShown(
  locale: Locale,
  { phase, plan, counts, unread }: Pick<ImportState, 'phase' | 'plan' | 'counts' | 'unread'>,
): Shown {
  const channel = `<#${plan.channel}>`;
  const { messages, imported } = counts;
  const key = phase === 'finished' ? 'import.finished' : 'import.cancelled';
  return {
    content: [
      translate(locale, key, { channel, messages, imported }),
      ...fateLines(locale, counts),
      ...unreadLines(locale, unread),
    ].join('\n'),
    components: [],
  };
}

function reasonLines(locale: Locale, counts: Counts): string[] {
  return FATES.flatMap((fate) => {
    if (fate === 'imported' || counts[fate] === 0) return [];
    return [`- ${translate(locale, `import.fate.${fate}`, { count: counts[fate] })}`];
  });
}

function fateLines(locale: Locale, counts: Counts): string[] {
  const lines = reasonLines(locale, counts);
  return lines.length > 0 ? lines : [`- ${translate(locale, 'import.fate.none')}`];
}

function unreadLines(locale: Locale, unread: readonly UnreadPlace[]): string[] {
  if (unread.length === 0) return [];
  return [translate(locale, 'import.unread', { channels: unreadText(locale, unread) })];
}

function buttons(locale: Locale, run: string, offered: readonly ImportButton[]): Row {
  return row(
    ...offered.map((what) => {
      const label = translate(locale, `import.button.${what}`);
      return button(`frontpage|import|${what}|${run}`, label, what === 'go' ? 'main' : 'plain');
    }),
  );
}
