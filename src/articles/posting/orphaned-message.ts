import { type APIMessage, Routes } from 'discord.js';
import { isApiError } from '../../discord/api-errors.ts';
import { canonicalOf } from '../../ranking/links/parse.ts';
import {
  compareIds,
  type Snowflake,
  snowflakeAt,
  snowflakeTimeMs,
} from '../../ranking/snowflake.ts';
import { type Carried, readArticleMessage } from '../messages/article-message.ts';
import type { App } from '../../app.ts';
import { NotOurs } from '../../discord/requests/own-messages.ts';
import { isForbidden } from '../../discord/requests/refusals.ts';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import { limits } from '../../discord/limits.ts';
import { MINUTE_MS } from '../../clock.ts';

type OrphanedMessage =
  | { status: 'found'; id: Snowflake; channel: Snowflake; carried: Carried }
  | { status: 'none' }
  /** The bot may not read the channel, so the result is unknown. */
  | { status: 'hidden' };

/** A minute is added for clock differences. */
const ANSWERABLE_MS = limits.interactionMs + MINUTE_MS;

/**
 * Looks for the message of a posting that was never committed, in its channel after its interaction.
 * It recognises the message by its interaction or its link.
 */
export async function findOrphanedMessage(
  { client, self, ownMessages }: Pick<App, 'client' | 'self' | 'ownMessages'>,
  posting: { guild: Snowflake; channel: Snowflake; by: Snowflake; href: string },
): Promise<OrphanedMessage> {
  const { guild, channel, by } = posting;
  const known = client.guilds.cache.get(guild)?.channels.cache.get(channel);
  if (known && !mayReadHistory(known)) return { status: 'hidden' };
  const canonical = canonicalOf(posting.href);
  const until = snowflakeAt(snowflakeTimeMs(by) + ANSWERABLE_MS);
  try {
    await ownMessages.demandChannel({ guild, channel });
    for (let after = by; ; ) {
      const messages = (await client.rest.get(Routes.channelMessages(channel), {
        query: new URLSearchParams({ after, limit: String(limits.pageSize) }),
      })) as APIMessage[];
      const ascending = messages.sort((a, b) => compareIds(a.id, b.id));
      for (const message of ascending) {
        const carried = message.author.id === self ? readArticleMessage(message) : null;
        const answers = message.interaction_metadata?.id === by;
        if (carried && (answers || canonicalOf(carried.link) === canonical)) {
          return { status: 'found', id: message.id, channel, carried };
        }
      }
      const last = ascending.at(-1);
      if (messages.length < limits.pageSize || !last || compareIds(last.id, until) > 0)
        return { status: 'none' };
      after = last.id;
    }
  } catch (error) {
    if (error instanceof NotOurs || isApiError(error, 'UnknownChannel')) return { status: 'none' };
    if (isForbidden(error)) return { status: 'hidden' };
    throw error;
  }
}
