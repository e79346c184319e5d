import { Events } from 'discord.js';
import type { Settings } from '../community/settings.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { followLikes } from './follow-likes.ts';
import { openLikes } from './likes.ts';
import { lookKind, LOOK_SOON_MS } from './look.ts';
import { nominateKind } from './nominate.ts';
import type { Nominating, NominatingNeeds } from './nominations-needs.ts';
import { countNominated } from './stored-nominated.ts';

export interface NominationsNeeds extends NominatingNeeds {
  /** Whether the host has switched on the Message Content intent, without which others' messages have no links. */
  messageContent: boolean;
}

/** Links that become articles because members like the messages that have them. */
export interface Nominations {
  /** Takes a guild's settings when they were read: what changed is looked at in the channels that have it. */
  followSettings(guild: Snowflake, settings: Settings): void;
  /** How many links became articles in the last week. */
  count(guild: Snowflake): Promise<number>;
}

/** Opens them, and follows the gateway's events. */
export function openNominations(needs: NominationsNeeds): Nominations {
  const { due, clock, store, memberLimits } = needs;
  const seenSettings = new Map<Snowflake, string>();
  const count = (guild: Snowflake) => countNominated(store, guild, clock.now());
  if (!needs.messageContent) return { followSettings: () => {}, count };

  function planRow(guild: Snowflake, row: string, atMs: number, notes = {}): void {
    const planned = due.note(guild, row, notes).then(() => due.plan(guild, row, atMs));
    // A row that Redis did not take is made up for by the look of the guild's next arrival.
    needs.hold(planned.catch(() => {}));
  }
  const parts: Nominating = {
    ...needs,
    likes: openLikes(),
    listening: new Map(),
    read: new Map(),
    deleted: new Map(),
    plan(guild, { channel, message, order }) {
      const waitMs = memberLimits.count('nominate', guild, guild);
      if (waitMs > 0) planRow(guild, `nominations:${channel}`, clock.now() + waitMs);
      else planRow(guild, `nominate:${channel}/${message}`, 0, order === '' ? {} : { order });
    },
  };
  due.handle(nominateKind(parts));
  due.handle(lookKind(parts));
  followLikes(parts);
  needs.client.on(Events.GuildDelete, ({ id }) => seenSettings.delete(id));
  return {
    followSettings(guild, settings) {
      const { 'nomination-channels': channels, nominations } = settings;
      const now = [nominations, ...channels].join(' ');
      const before = seenSettings.get(guild);
      seenSettings.set(guild, now);
      // The first time, the guild's arrival has them looked at.
      if (before === undefined || before === now) return;
      for (const channel of channels) {
        planRow(guild, `nominations:${channel}`, clock.now() + LOOK_SOON_MS);
      }
    },
    count,
  };
}
