import { fault } from '../log.ts';
import { names, type Permission } from '../discord/permissions.ts';
import type { Edition, Run } from '../store/edition.ts';
import { translate } from '../text/catalogue.ts';
import type { Press } from './press.ts';

type Trouble =
  | { is: 'skipped'; atMs: number }
  | ({ is: 'broken' } & Pick<NonNullable<Run['broken']>, 'reason' | 'detail'>);

/** Tells those who run the server, once; `/digest show` goes on telling. */
export async function alarm(
  press: Press,
  {
    claim,
    name,
    edition,
    sight,
  }: {
    claim: { guild: string };
    name: string;
    edition: Edition;
    sight: { locale: string };
  },
  trouble: Trouble,
): Promise<void> {
  const { guild } = claim;
  const { savedBy } = edition;
  const about = { guild, edition: name, channel: edition.channel };
  press.log.warn({ ...about, ...trouble }, 'A digest is not posted.');
  try {
    const told = await press.outlet.tell(
      guild,
      savedBy,
      sentence(sight.locale, name, edition, trouble),
    );
    if (!told) press.log.warn(about, 'Nobody could be told about a digest that is not posted.');
  } catch (error) {
    press.log.warn({ ...fault(error), ...about }, 'Nobody could be told about a digest.');
  }
}

function sentence(locale: string, name: string, edition: Edition, trouble: Trouble): string {
  if (trouble.is === 'skipped') {
    const slot = `<t:${Math.floor(trouble.atMs / 1000)}:f>`;
    return translate(locale, 'digest.alarm.skipped', { name, slot });
  }
  return translate(locale, 'digest.alarm.broken', {
    name,
    reason: brokenText(locale, edition, trouble),
  });
}

/** Why an edition cannot be posted, and what mends it. */
export function brokenText(
  locale: string,
  { channel }: Pick<Edition, 'channel'>,
  { reason, detail }: Pick<NonNullable<Run['broken']>, 'reason' | 'detail'>,
): string {
  const place = `<#${channel}>`;
  const texts = {
    gone: () => translate(locale, 'digest.broken.gone'),
    missing: () => {
      const permissions = names(detail.split(',') as Permission[])(locale);
      return translate(locale, 'digest.broken.missing', { channel: place, permissions });
    },
    refused: () => translate(locale, 'digest.broken.refused', { channel: place, code: detail }),
  };
  return texts[reason]();
}
