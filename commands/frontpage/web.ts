import { ApplicationCommandOptionType } from 'discord.js';
import { z } from 'zod';
import { answer } from '../../src/discord/interactions/answer.ts';
import type { App } from '../../src/app.ts';
import type { GuildCommand } from '../../src/discord/commands/command.ts';
import { groupOption } from '../../src/discord/commands/options.ts';
import type { PublicAddresses } from '../../src/web/addresses.ts';
import { WEB_ORDERS } from '../../src/web/pages/view.ts';
import { ORDER_TEXTS } from '../../src/web/pages/wording.ts';
import { UserError } from '../../src/discord/interactions/user-error.ts';
import { isListed } from '../../src/discord/access/visibility.ts';
import { channelOption, choiceOption, words } from '../../src/discord/commands/localized.ts';
import {
  closePage,
  feedSecret,
  openPage,
  revokeFeeds,
  setInvite,
  zInvite,
} from '../../src/records/web-settings.ts';
import { code } from '../../src/text/clean.ts';
import { translate } from '../../src/text/catalogue.ts';
import type { Section } from './section.ts';

const subcommands = { on, off, feed, revoke };

const subcommand = ApplicationCommandOptionType.Subcommand as const;

export const web: Section = {
  option: {
    type: ApplicationCommandOptionType.SubcommandGroup,
    ...words('command.frontpage.web'),
    options: [
      {
        type: subcommand,
        ...words('command.frontpage.web.on'),
        options: [
          {
            type: ApplicationCommandOptionType.Boolean,
            ...words('command.frontpage.web.on.names'),
          },
          {
            type: ApplicationCommandOptionType.String,
            max_length: 100,
            ...words('command.frontpage.web.on.invite'),
          },
        ],
      },
      { type: subcommand, ...words('command.frontpage.web.off') },
      {
        type: subcommand,
        ...words('command.frontpage.web.feed'),
        options: [
          choiceOption(
            'command.frontpage.web.feed.order',
            WEB_ORDERS,
            (order) => ORDER_TEXTS[order],
          ),
          channelOption('command.frontpage.web.feed.group'),
        ],
      },
      { type: subcommand, ...words('command.frontpage.web.revoke') },
    ],
  },

  async run(interaction, app) {
    if (app.addresses === null) throw new UserError('web.unhosted');
    const name = interaction.options.getSubcommand() as keyof typeof subcommands;
    await answer(interaction, await subcommands[name](interaction, app, app.addresses));
  },
};

async function on(
  { guildId, options, locale }: GuildCommand,
  app: App,
  addresses: PublicAddresses,
): Promise<string> {
  const names = options.getBoolean('names') ?? false;
  const typed = options.getString('invite');
  const invite = typed === null ? undefined : inviteOf(typed);
  await openPage(app.store, guildId, names);
  if (invite !== undefined) await setInvite(app.store, guildId, invite);
  await showAtOnce(app, guildId);
  const address = addresses.page(guildId);
  return translate(locale, names ? 'web.opened.names' : 'web.opened', { address });
}

/** Null means none. */
function inviteOf(typed: string): string | null {
  const plain = typed.trim();
  if (/^(none|无|没有)$/i.test(plain)) return null;
  const parsed = zInvite.safeParse(plain.replace(/^(?!https:\/\/)/, 'https://'));
  if (!parsed.success) throw new UserError('web.invite.invalid', { given: code(plain) });
  return parsed.data;
}

async function off({ guildId, locale }: GuildCommand, app: App): Promise<string> {
  await closePage(app.store, guildId);
  await showAtOnce(app, guildId);
  return translate(locale, 'web.shut');
}

async function feed(
  interaction: GuildCommand,
  app: App,
  addresses: PublicAddresses,
): Promise<string> {
  const { guildId, locale, options } = interaction;
  const channel = groupOption(interaction, 'group');
  if (channel !== null && !isListed(channel)) throw new UserError('web.feed.hidden');
  const asked = z.enum(WEB_ORDERS).default('score').safeParse(options.get('order')?.value);
  if (!asked.success) throw new UserError('invalid.option', { option: 'order' });
  const order = asked.data;
  const group = channel?.id ?? null;
  // The front order balances groups. Within one group it is the order of scores.
  const list = { group, order: group !== null && order === 'front' ? 'score' : order } as const;
  const secret = await feedSecret(app.store, guildId);
  await showAtOnce(app, guildId);
  return translate(locale, 'web.feed.addresses', addresses.feeds(guildId, list, secret));
}

async function revoke({ guildId, locale }: GuildCommand, app: App): Promise<string> {
  await revokeFeeds(app.store, guildId);
  await showAtOnce(app, guildId);
  return translate(locale, 'web.revoked');
}

/** Pages are cached until a change of their guild is announced, so announce one. */
async function showAtOnce({ ranking }: App, guild: string): Promise<void> {
  ranking.changes.noteAll(guild);
  await ranking.changes.flush();
}
