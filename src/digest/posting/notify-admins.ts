import { permissionNames, type Permission } from '../../discord/access/permissions.ts';
import { fault } from '../../log.ts';
import type { Broken } from '../../records/digests/digest.ts';
import { translate } from '../../text/catalogue.ts';
import type { DigestContext } from '../context.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';

/** Tells the server's admins that something is not posted. Call it once; the settings keep showing it. */
export async function notifyAdmins(
  context: DigestContext,
  about: { guild: Snowflake } & Record<string, string | number>,
  text: string,
  savedBy: string | null = null,
): Promise<void> {
  context.log.warn(about, 'Something is not posted.');
  try {
    const told = await context.channels.tell(about.guild, savedBy, text);
    if (!told) context.log.warn(about, 'Nobody could be told about it.');
  } catch (error) {
    context.log.warn({ ...fault(error), ...about }, 'Nobody could be told about it.');
  }
}

/** Explains why nothing can be posted in a channel, and how to repair it. */
export function brokenText(
  locale: string,
  channel: Snowflake,
  { reason, detail }: Pick<Broken, 'reason' | 'detail'>,
): string {
  const place = `<#${channel}>`;
  switch (reason) {
    case 'gone':
      return translate(locale, 'digest.broken.gone');
    case 'missing': {
      const permissions = permissionNames(detail.split(',') as Permission[]);
      return translate(locale, 'digest.broken.missing', { channel: place, permissions });
    }
    case 'refused':
      return translate(locale, 'digest.broken.refused', { channel: place, code: detail });
  }
}
