import { readEdition, type StoredEdition } from '../store/digests.ts';
import { code } from '../discord/title.ts';
import { UserError } from '../discord/user-error.ts';
import { brokenText } from './alarm.ts';
import { type Draft, writeDraft } from './draft.ts';
import { nonceOf } from './mark.ts';
import { periodStart } from './period.ts';
import type { Press } from './press.ts';
import { wallTime } from './wall-time.ts';

/** An edition by name, or a refusal. */
export async function demandEdition(
  press: Pick<Press, 'store'>,
  guild: string,
  name: string,
): Promise<StoredEdition> {
  const stored = await readEdition(press.store, guild, name);
  if (stored === null) throw new UserError('digest.unknown', { name: code(name) });
  return stored;
}

/** What the edition would post now: the articles since the previous scheduled slot. */
export async function draftNow(
  press: Press,
  guild: string,
  { name, edition, run }: StoredEdition,
  guildLocale: string,
): Promise<{ draft: Draft; sinceMs: number }> {
  const now = press.clock.now();
  const sinceMs = periodStart(edition, run, now);
  const { date, time } = wallTime(edition.schedule.zone, now);
  const draft = await writeDraft(press, {
    guild,
    name,
    edition,
    run,
    locale: edition.language ?? guildLocale,
    period: { fromMs: sinceMs, untilMs: now },
    date,
    dueAtMs: now,
    // With the time in it, so that no read-back takes it for the scheduled one.
    mark: (page, pages) => `${name} · ${date} ${time}${pages > 1 ? ` · ${page}/${pages}` : ''}`,
  });
  return { draft, sinceMs };
}

/**
 * Posts a draft out of turn, which changes neither the schedule nor what counts as new.
 * `occasion` is the interaction's id: asked by it twice, Discord posts once. Returns the first message.
 */
export async function postNow(
  press: Press,
  {
    guild,
    stored,
    draft,
    occasion,
    locale,
  }: {
    guild: string;
    stored: StoredEdition;
    draft: Draft;
    occasion: string;
    /** Of who asked. */
    locale: string;
  },
): Promise<string | null> {
  const { edition, name } = stored;
  let first: string | null = null;
  for (const [at, body] of draft.pages.entries()) {
    const nonce = nonceOf(guild, name, 'now', occasion, at + 1);
    const sent = await press.outlet.send(edition.channel, body, nonce);
    if (sent.status === 'refused') {
      throw new UserError('digest.unposted', { reason: brokenText(locale, edition.channel, sent) });
    }
    first ??= sent.message;
  }
  return first;
}
