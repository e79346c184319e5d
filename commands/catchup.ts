import { ApplicationCommandOptionType } from 'discord.js';
import { z } from 'zod';
import { answer, turn } from '../src/discord/answer.ts';
import { articlePage, LAST_PAGE, PAGE_SIZE, TURNS } from '../src/articles/lists/page.ts';
import type { App } from '../src/app.ts';
import type { Command, GuildCommand, GuildComponent } from '../src/discord/commands/command.ts';
import { groupName } from '../src/eligibility/guild-rules.ts';
import { groupOption } from '../src/discord/commands/options.ts';
import { UserError } from '../src/discord/user-error.ts';
import { groupOptionTypes, mayView } from '../src/discord/access/visibility.ts';
import { words } from '../src/discord/commands/localized.ts';
import { translate } from '../src/text/catalogue.ts';
import { listUnvoted } from '../src/ranking/lists/not-voted.ts';
import { zSnowflake } from '../src/ranking/snowflake.ts';

const zPage = z.coerce.number().pipe(z.int().min(1).max(LAST_PAGE));
/** `catchup|<turn>|<group or ->|<page>` */
const zArgs = z.tuple([z.enum(TURNS), z.literal('-').or(zSnowflake), zPage]);

export default {
  data: {
    ...words('command.catchup'),
    options: [
      {
        type: ApplicationCommandOptionType.Channel,
        channel_types: groupOptionTypes,
        ...words('command.catchup.group'),
      },
    ],
  },
  readOnly: true,

  async run(interaction, app) {
    const group = groupOption(interaction, 'group')?.id ?? null;
    await answer(interaction, await show(interaction, app, group, 1));
  },

  async component(interaction, args, app) {
    const parsed = zArgs.safeParse(args);
    if (!parsed.success) throw new UserError('stale');
    const [, given, page] = parsed.data;
    const group = given === '-' ? null : given;
    if (group !== null && !mayView(interaction.member, group))
      throw new UserError('channel.unknown');
    await turn(interaction, await show(interaction, app, group, page));
  },
} satisfies Command;

async function show(
  { guildId, guild, locale, user }: GuildCommand | GuildComponent,
  app: App,
  group: string | null,
  page: number,
) {
  const of = { guild: guildId, ...(group === null ? {} : { group }), member: user.id };
  const list = { ...of, page, pageSize: PAGE_SIZE };
  const { articles, total } = await listUnvoted(app.ranking, list, app.clock.now());
  const name = group === null ? undefined : groupName(await app.rules.read(guildId), guild, group);
  const title = translate(locale, 'catchup.title');
  return articlePage(app, {
    guild: guildId,
    locale,
    title:
      name === undefined
        ? title
        : translate(locale, 'top.title.group', { order: title, group: name }),
    empty: translate(locale, 'catchup.empty'),
    page,
    articles,
    total,
    idOf: (turn, target) => ['catchup', turn, group ?? '-', target].join('|'),
  });
}
