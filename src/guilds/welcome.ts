import {
  ChannelType,
  type Client,
  Events,
  type Guild,
  type GuildBasedChannel,
  Routes,
} from 'discord.js';
import { fault, type Log } from '../runtime/log.ts';
import { translate } from '../text/catalogue.ts';
import { MESSAGE_PERMISSIONS, missingPermissions } from '../discord/access/permissions.ts';
import { button, card, row } from '../discord/interactions/components.ts';
import { limits } from '../discord/limits.ts';

/** Sends one welcome message to a guild that has just added the bot, with a button for the setup. */
export function welcomeGuilds(client: Client, log: Log): void {
  // Fires only for guilds that add the bot while it runs. After an outage, another event fires.
  client.on(Events.GuildCreate, (guild) => {
    welcome(guild).catch((error: unknown) => {
      log.info({ ...fault(error), guild: guild.id }, 'A guild could not be welcomed.');
    });
  });
}

async function welcome(guild: Guild): Promise<void> {
  const channel = openChannel(guild);
  if (!channel) return;
  const locale = guild.preferredLocale;
  const start = button('frontpage|setup|start', translate(locale, 'setup.start'), 'main');
  await guild.client.rest.post(Routes.channelMessages(channel.id), {
    body: {
      embeds: [card(translate(locale, 'setup.welcome.title'), translate(locale, 'setup.welcome'))],
      components: [row(start)],
      allowed_mentions: { parse: [] },
      // With the nonce, a repeated request after a lost answer creates no second message.
      nonce: `welcome-${guild.id}`.slice(0, limits.nonceLength),
      enforce_nonce: true,
    },
  });
}

/** The server's system channel if everyone may view it, or else the first such text channel. */
function openChannel(guild: Guild): GuildBasedChannel | undefined {
  const texts = [...guild.channels.cache.values()]
    .filter((channel) => channel.type === ChannelType.GuildText)
    .sort((a, b) => a.rawPosition - b.rawPosition);
  const everyone = guild.roles.everyone;
  const isOpen = (channel: GuildBasedChannel): boolean =>
    channel.permissionsFor(everyone).has('ViewChannel') &&
    missingPermissions(channel, MESSAGE_PERMISSIONS).length === 0;
  return [...(guild.systemChannel ? [guild.systemChannel] : []), ...texts].find(isOpen);
}
