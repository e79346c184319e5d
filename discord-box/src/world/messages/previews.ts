import { MessageFlags, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { setPreviews } from './change-message.ts';
import type { Channel } from '../../model/channel.ts';
import type { Message, Preview } from '../../model/message.ts';
import type { WebPage } from '../../model/web.ts';
import type { World } from '../../model/world.ts';
import { may } from '../permissions.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import { previewedLinks } from './links.ts';

/**
 * Adds a preview of each link to a message, `delayMs` after the message was written or edited.
 * Returns a function that ends this.
 */
export function addPreviews(world: World, delayMs: number): () => void {
  const timers = new Map<Snowflake, NodeJS.Timeout>();
  const stopListening = world.changes.listen(({ t, d }) => {
    if (t !== 'MESSAGE_CREATE' && t !== 'MESSAGE_UPDATE') return;
    const channel = world.channels.get(String(d['channel_id']));
    const message = channel?.messages.get(String(d['id']));
    if (channel === undefined || message === undefined || timers.has(message.id)) return;
    if (missingLinks(world, channel, message).length === 0) return;
    const timer = setTimeout(() => {
      timers.delete(message.id);
      const missing = missingLinks(world, channel, message);
      if (!channel.messages.has(message.id) || missing.length === 0) return;
      const found = missing.flatMap((link) => previewOf(world, link) ?? []);
      setPreviews(world, channel, message, [...message.previews, ...found]);
    }, delayMs);
    timers.set(message.id, timer);
  });
  return () => {
    stopListening();
    for (const timer of timers.values()) clearTimeout(timer);
  };
}

/** The links of a message that have a page, and no preview yet although they may have one. */
function missingLinks(world: World, channel: Channel, message: Message): string[] {
  if ((message.flags & MessageFlags.SuppressEmbeds) !== 0) return [];
  const mayEmbed = may(world, channel, message.authorId, P.EmbedLinks);
  if (!mayEmbed || !message.content.includes('://')) return [];
  const known = new Set(message.previews.map(({ link }) => link));
  return previewedLinks(message.content).filter(
    (link) => !known.has(link) && world.web.page(link) !== undefined,
  );
}

export function previewOf(world: World, link: string): Preview | undefined {
  const page = world.web.page(link);
  return page === undefined ? undefined : { link, embed: embedOf(link, page) };
}

function embedOf(link: string, { title, description, site, picture, large }: WebPage) {
  return {
    type: large === true ? 'article' : 'link',
    url: link,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(site === undefined ? {} : { provider: { name: site } }),
    ...(picture === undefined ? {} : { thumbnail: { url: picture } }),
  };
}
