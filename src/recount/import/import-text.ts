import { FATES, type ImportState } from '../../records/history/imports.ts';
import { translate } from '../../text/catalogue.ts';
import { unreadText } from '../history/unread.ts';

type Locale = string | null;

export function progressText(locale: Locale, { plan, counts }: ImportState): string {
  const { messages, imported } = counts;
  return translate(locale, 'import.running', { channel: `<#${plan.channel}>`, messages, imported });
}

/** How an import ended, with what it left out and why. */
export function endText(locale: Locale, { phase, plan, counts, unread }: ImportState): string {
  const { messages, imported } = counts;
  const values = { channel: `<#${plan.channel}>`, messages, imported };
  const skipped = FATES.filter((fate) => fate !== 'imported').filter((fate) => counts[fate] > 0);
  const channels = unreadText(locale, unread);
  return [
    translate(locale, phase === 'finished' ? 'import.finished' : 'import.cancelled', values),
    ...skipped.map(
      (fate) => `- ${translate(locale, `import.fate.${fate}`, { count: counts[fate] })}`,
    ),
    ...(skipped.length === 0 ? [`- ${translate(locale, 'import.fate.none')}`] : []),
    ...(unread.length > 0 ? [translate(locale, 'import.unread', { channels })] : []),
  ].join('\n');
}
