import { ComponentType, type Guild, SelectMenuDefaultValueType } from 'discord.js';
import { z } from 'zod';
import { hasChannel, hasRole } from '../../community/dead-references.ts';
import { GROUP_SELECT_TYPES, groupOf, requireView } from '../../discord/access/visibility.ts';
import type { GuildComponent } from '../../discord/commands/command.ts';
import {
  type ActionRow,
  button,
  channelSelect,
  choiceSelect,
  row,
} from '../../discord/interactions/components.ts';
import { UserError } from '../../discord/user-error.ts';
import { zSnowflake } from '../../runtime/snowflake.ts';
import { translate } from '../../text/catalogue.ts';
import { type Digest, MOST_ARTICLES, SELECTIONS, zDigest } from '../digest-settings.ts';
import type { StoredDigest } from '../stored-digests.ts';
import type { DigestOptions } from './options.ts';

/** What is chosen below the answer of `/digest set`: what a digest holds, and how it is posted. */
export const DIGEST_SCREENS = ['articles', 'extras'] as const;
export type DigestScreen = (typeof DIGEST_SCREENS)[number];

/** What is chosen in a select of these screens. */
const PICKS = {
  count: 'articles',
  selection: 'articles',
  source: 'articles',
  role: 'extras',
  switches: 'extras',
} as const satisfies Record<string, DigestScreen>;
export type DigestPick = keyof typeof PICKS;

export function isDigestPick(text: string | undefined): text is DigestPick {
  return text !== undefined && Object.hasOwn(PICKS, text);
}

export function screenOf(pick: DigestPick): DigestScreen {
  return PICKS[pick];
}

/** What is posted, or how, besides the best: each is off unless it is chosen. */
const EXTRAS = { empty: 'postEmpty', publish: 'publish', silent: 'silent' } as const;
const zExtras = z.array(z.enum(Object.keys(EXTRAS) as (keyof typeof EXTRAS)[]));

/** The buttons below a digest's settings. Custom ids are `digest|<screen or pick>|<its name>`. */
export function moreRow(locale: string, name: string): ActionRow {
  const texts = { articles: 'digest.show.articles', extras: 'digest.show.extras' } as const;
  return row(
    ...DIGEST_SCREENS.map((screen) =>
      button(`digest|${screen}|${name}`, translate(locale, texts[screen])),
    ),
  );
}

/** The selects of a screen, with what the digest has. */
export function screenRows(
  locale: string,
  guild: Guild,
  { name, digest }: StoredDigest,
  screen: DigestScreen,
): ActionRow[] {
  const back = row(button(`digest|back|${name}`, translate(locale, 'settings.back')));
  const common = (pick: DigestPick) => ({
    custom_id: `digest|${pick}|${name}`,
    placeholder: translate(locale, `digest.pick.${pick}`),
  });
  switch (screen) {
    case 'articles': {
      const counts = Array.from({ length: MOST_ARTICLES }, (_, at) => ({
        label: translate(locale, 'digest.pick.most', { count: at + 1 }),
        value: String(at + 1),
      }));
      const selections = SELECTIONS.map((value) => ({
        label: translate(locale, `digest.selection.${value}`),
        value,
      }));
      const groups = digest.groups.filter((id) => hasChannel(guild, id));
      return [
        choiceSelect(common('count'), counts, String(digest.count)),
        choiceSelect(common('selection'), selections, digest.selection),
        channelSelect(common('source'), [...GROUP_SELECT_TYPES], groups, { isOne: false }),
        back,
      ];
    }
    case 'extras':
      return [
        roleRow(guild, digest, common('role')),
        extrasRow(locale, digest, common('switches')),
        back,
      ];
    default:
      return screen satisfies never;
  }
}

type Common = { custom_id: string; placeholder: string };

function roleRow(guild: Guild, { role }: Digest, common: Common): ActionRow {
  const there = role !== null && hasRole(guild, role) ? [role] : [];
  return row({
    type: ComponentType.RoleSelect,
    ...common,
    min_values: 0,
    max_values: 1,
    default_values: there.map((id) => ({ id, type: SelectMenuDefaultValueType.Role })),
  });
}

function extrasRow(locale: string, digest: Digest, common: Common): ActionRow {
  const options = zExtras.element.options.map((value) => ({
    label: translate(locale, `digest.show.${value}`),
    value,
    default: digest[EXTRAS[value]],
  }));
  return row({
    type: ComponentType.StringSelect,
    ...common,
    min_values: 0,
    max_values: options.length,
    options,
  });
}

/** Reads what a manager chose. Discord's own limits can be bypassed. */
export function pickedOptions(
  interaction: GuildComponent,
  pick: DigestPick,
): Partial<DigestOptions> {
  const values = interaction.isAnySelectMenu() ? interaction.values : [];
  switch (pick) {
    case 'count':
      return { count: chosen(zDigest.shape.count.unwrap(), Number(values[0])) };
    case 'selection':
      return { selection: chosen(zDigest.shape.selection.unwrap(), values[0]) };
    case 'source':
      return { groups: values.map((id) => groupIn(interaction, id)) };
    case 'role':
      return { role: values.length === 0 ? null : chosen(zSnowflake, values[0]) };
    case 'switches': {
      const on = chosen(zExtras, values);
      const names = zExtras.element.options;
      return Object.fromEntries(names.map((each) => [EXTRAS[each], on.includes(each)]));
    }
    default:
      return pick satisfies never;
  }
}

function chosen<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data } = schema.safeParse(value);
  if (data === undefined) throw new UserError('stale');
  return data;
}

function groupIn({ guild, member }: GuildComponent, id: string): string {
  const channel = guild.channels.cache.get(id);
  const group = channel && groupOf(channel);
  if (!group) throw new UserError('channel.unknown');
  requireView(member, group.id);
  return group.id;
}
