import { permissionNames, type Permission } from '../../discord/access/permissions.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import type { Broken } from '../../records/digests/digest-settings.ts';
import { translate } from '../../text/catalogue.ts';

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
