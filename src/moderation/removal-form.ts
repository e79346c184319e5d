/** The form of a removal, which can also block the poster and the site, and remove the poster's other links. */

import type { APILabelComponent, GuildMember } from 'discord.js';
import { ComponentType } from 'discord.js';
import { z } from 'zod';
import { isSharedEnding, memberSubject, siteSubject } from '../community/block-subject.ts';
import { MAX_REASON_LENGTH } from '../community/moderation-log.ts';
import type { GuildForm } from '../discord/commands/command.ts';
import { textInput } from '../discord/interactions/components.ts';
import { limits } from '../discord/limits.ts';
import { siteHost } from '../ranking/links/canonical.ts';
import type { Article } from '../ranking/row.ts';
import { translate } from '../text/catalogue.ts';
import { cleanLine, decoded, shortened } from '../text/clean.ts';
import { refusalToBlock } from './change-blocks.ts';

/** What a removal can do besides, in the order in which the form offers it. */
const ALSO = ['poster', 'site', 'others'] as const;
export type Also = (typeof ALSO)[number];
const zAlso = z.array(z.enum(ALSO)).catch([]);
/** For how many days a poster is blocked; `0` until it is lifted. */
const DAYS = ['1', '7', '30', '0'] as const;
const zDays = z.tuple([z.enum(DAYS)]).catch(['0']);

/** What the form was sent with. */
export type RemovalWish = {
  reason: string;
  also: ReadonlySet<Also>;
  /** Null: until it is lifted. */
  days: number | null;
};

/**
 * What can be offered to this moderator. `name`: what the poster is called, if that is known. `others`: how many
 * links of the poster they may remove besides.
 */
export async function offeredBesides(
  by: GuildMember,
  { poster, link }: Pick<Article, 'poster' | 'link'>,
  { mayBlock, name, others }: { mayBlock: boolean; name: string | undefined; others: number },
): Promise<Map<Also, string | number>> {
  const offered = new Map<Also, string | number>();
  if (mayBlock && (await refusalToBlock(by, memberSubject(poster))) === null) {
    offered.set('poster', name ?? poster);
  }
  const site = siteOf(link);
  if (mayBlock && site !== null && !isSharedEnding(site)) offered.set('site', decoded(site.site));
  if (others > 0) offered.set('others', others);
  return offered;
}

/** The site of a link, as a block has it. */
export function siteOf(link: string) {
  return siteSubject(siteHost(new URL(link)));
}

/** The fields of the form. */
export function removalFields(
  locale: string,
  offered: ReadonlyMap<Also, string | number>,
): APILabelComponent[] {
  const reason = { custom_id: 'text', max_length: MAX_REASON_LENGTH, required: false };
  const fields = [textInput(translate(locale, 'moderate.reason'), reason)];
  const labelled = (label: string, component: APILabelComponent['component']) =>
    fields.push({
      type: ComponentType.Label,
      label: shortened(label, limits.labelLength),
      component,
    });
  if (offered.size > 0) {
    const options = [...offered].map(([value, what]) => ({
      value,
      label: shortened(translate(locale, `moderate.also.${value}`, { what }), limits.choiceLength),
    }));
    labelled(translate(locale, 'moderate.also'), {
      type: ComponentType.CheckboxGroup,
      custom_id: 'also',
      min_values: 0,
      required: false,
      options,
    });
  }
  if (offered.has('poster')) {
    labelled(translate(locale, 'moderate.days'), {
      type: ComponentType.StringSelect,
      custom_id: 'days',
      required: false,
      options: DAYS.map((value) => ({
        value,
        label: translate(locale, 'moderate.days.some', { days: Number(value) }),
        default: value === '0',
      })),
    });
  }
  return fields;
}

/** What the form asks for. A field that was not offered, or is forged, asks for nothing. */
export function readRemovalForm({ fields }: GuildForm): RemovalWish {
  const given = (id: string): unknown => {
    const field = fields.fields.get(id);
    return field !== undefined && 'values' in field ? field.values : [];
  };
  const [days] = zDays.parse(given('days'));
  return {
    reason: cleanLine(fields.getTextInputValue('text'), MAX_REASON_LENGTH),
    also: new Set(zAlso.parse(given('also'))),
    days: days === '0' ? null : Number(days),
  };
}
