import {
  type APIMessage,
  ChannelType,
  type Client,
  Events,
  type Guild,
  type GuildBasedChannel,
  Routes,
} from 'discord.js';
import { fault, type Log } from '../runtime/log.ts';
import type { Imports, LinkCounts } from '../history/import/import-needs.ts';
import { pastLines } from '../history/import/link-count-texts.ts';
import { translate } from '../text/catalogue.ts';
import { MESSAGE_PERMISSIONS, missingPermissions } from '../discord/access/permissions.ts';
import { button, card, row } from '../discord/interactions/components.ts';
import { limits } from '../discord/limits.ts';

/** What a welcome needs of the bot. */
export interface WelcomeNeeds {
  /** Tells of guilds that the bot joins. */
  client: Client;
  /** Says what could not be done. */
  log: Log;
  /** Counts the links that a server already has. */
  imports: Pick<Imports, 'counts'>;
  /** Whether the host has switched on the Message Content intent. */
  messageContent: boolean;
}

/**
 * Sends one welcome message to a guild that has just added the bot, with a button for the set-up. When the
 * links that are already there are counted, the message says so and offers to begin with them.
 */
export function welcomeGuilds(needs: WelcomeNeeds): void {
  const { client, log } = needs;
  // Fires only for guilds that add the bot while it runs. After an outage, another event fires.
  client.on(Events.GuildCreate, (guild) => {
    welcome(needs, guild).catch((error: unknown) => {
      log.info({ ...fault(error), guild: guild.id }, 'A guild could not be welcomed.');
    });
  });
}

async function welcome({ imports, messageContent }: WelcomeNeeds, guild: Guild): Promise<void> {
  const channel = openChannel(guild);
  if (!channel) return;
  const { rest } = guild.client;
  const sent = (await rest.post(Routes.channelMessages(channel.id), {
    body: {
      ...welcomeMessage(guild, { messageContent, counts: null }),
      allowed_mentions: { parse: [] },
      // With the nonce, a repeated request after a lost answer creates no second message.
      nonce: `welcome-${guild.id}`.slice(0, limits.nonceLength),
      enforce_nonce: true,
    },
  })) as APIMessage;
  if (!messageContent) return;
  const counts = await imports.counts.read(guild);
  const body = welcomeMessage(guild, { messageContent, counts });
  await rest.patch(Routes.channelMessage(channel.id, sent.id), {
    body: { ...body, allowed_mentions: { parse: [] } },
  });
}

function welcomeMessage(
  { preferredLocale: locale }: Guild,
  past: { messageContent: boolean; counts: LinkCounts | null },
) {
  const hasLinks = (past.counts?.channels.length ?? 0) > 0;
  const begin = button('frontpage|import|start', translate(locale, 'frontpage.button.import'));
  const lines = [translate(locale, 'setup.welcome'), '', ...pastLines(locale, past)];
  return {
    embeds: [card(translate(locale, 'setup.welcome.title'), lines)],
    components: [
      row(
        button('frontpage|setup|start', translate(locale, 'setup.start'), 'main'),
        ...(hasLinks ? [begin] : []),
      ),
    ],
  };
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
