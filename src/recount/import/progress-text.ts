import { button, row, type ActionRow } from '../../discord/interactions/components.ts';
import { timestamp } from '../../text/mentions.ts';
import type { Shown } from '../../discord/interactions/progress-message.ts';
import { type Counts, FATES, type ImportState, type Plan } from '../../records/history/imports.ts';
import { translate } from '../../text/catalogue.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { type UnreadPlace, unreadText } from '../history/unread.ts';

type Locale = string | null;

export function lookingShown(locale: Locale, channel: Snowflake): Shown {
  return { content: translate(locale, 'import.begun', { channel: `<#${channel}>` }) };
}

export function lookShown(locale: Locale, plan: Plan, counts: Counts, upToMs: number): Shown {
  const { messages, imported: links } = counts;
  const day = timestamp(upToMs, 'D');
  const values = { channel: `<#${plan.channel}>`, messages, links, day };
  return {
    content: translate(locale, 'import.looking', values),
    components: [planButtons(locale, plan, counts)],
  };
}

/** The result of a dry run. `unread`: what the bot may not read. */
export type Looked = { counts: Counts; unread: UnreadPlace[] };

/** Shows the result of the dry run. `isPart`: its answer can be edited no longer. */
export function foundShown(
  locale: Locale,
  plan: Plan,
  { counts, unread, isPart }: Looked & { isPart: boolean },
): Shown {
  const { messages, imported, voted } = counts;
  const values = { channel: `<#${plan.channel}>`, messages, imported, voted };
  const isFound = imported > 0 || isPart;
  const lines = [
    ...(isFound
      ? [translate(locale, 'import.found', values), ...fateLines(locale, counts)]
      : [translate(locale, 'import.nothing', values), ...reasonLines(locale, counts)]),
    ...unreadLines(locale, unread),
    ...(isPart ? [translate(locale, 'import.part')] : []),
    ...(isFound ? [translate(locale, 'import.ask')] : []),
  ];
  return {
    content: lines.join('\n'),
    components: isFound ? [planButtons(locale, plan, counts)] : [],
  };
}

export function runningShown(
  locale: Locale,
  { plan, counts }: Pick<ImportState, 'plan' | 'counts'>,
): Shown {
  const { messages, imported } = counts;
  const of = Math.max(plan.messages, messages);
  const values = { channel: `<#${plan.channel}>`, messages, of, imported };
  const cancel = button('frontpage|import|cancel', translate(locale, 'import.button.cancel'));
  return { content: translate(locale, 'import.running', values), components: [row(cancel)] };
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

/** The custom id of the first is `frontpage|import|go|<channel>|<from, s>|<until, s>|<messages>`. */
function planButtons(locale: Locale, plan: Plan, { messages }: Counts): ActionRow {
  const { channel, fromMs, untilMs } = plan;
  const [from, until] = [fromMs, untilMs].map((ms) => Math.floor(ms / 1000));
  const go = ['frontpage', 'import', 'go', channel, from, until, messages].join('|');
  return row(
    button(go, translate(locale, 'import.button.go'), 'main'),
    button('frontpage|import|leave', translate(locale, 'import.button.leave')),
  );
}
