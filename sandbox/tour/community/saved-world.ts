import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Channel } from '../../../discord-box/src/model/channel.ts';
import type { World } from '../../../discord-box/src/model/world.ts';
import type { Step } from '../panel-state.ts';
import type { Tour } from '../steps.ts';
import type { Community } from './community.ts';

/** What is stored from one start to the next. The token is not, and interactions are not. */
export type SavedWorld = Pick<World, 'users' | 'guilds' | 'channels' | 'commands'> & {
  version: 2;
  applicationId: string;
  community: Community;
  /** The steps of the tour that are done; worlds of earlier versions have none. */
  tour?: Step[];
  /** The admin's part of the beginning is still to be done: it was interrupted. */
  toSetUp?: boolean;
};

/** Puts a saved world back into an empty one, which was made with the saved application's id. */
export function restoreWorld(world: World, saved: SavedWorld): Community {
  for (const name of ['users', 'guilds', 'channels', 'commands'] as const) {
    const table = world[name] as Map<string, unknown>;
    table.clear();
    for (const [id, thing] of saved[name]) table.set(id, thing);
  }
  for (const channel of world.channels.values()) dropEphemeral(channel);
  const { community } = saved;
  community.guild = world.guilds.get(community.guild.id) ?? community.guild;
  for (const [name, channel] of Object.entries(community.channels)) {
    const kept = world.channels.get(channel.id) ?? channel;
    community.channels[name as keyof Community['channels']] = kept;
  }
  return community;
}

type Saved = {
  world: World;
  community: Community;
  tour: Tour;
  /** Asked whenever the world is written. */
  toSetUp: () => boolean;
};

/** Writes the world and the tour a second after they changed, and once more when it ends. */
export function keepWorldSaved(
  { world, community, tour, toSetUp }: Saved,
  file: string,
): () => void {
  const save = (): void => {
    const { users, guilds, channels, commands, application } = world;
    const kept = { version: 2, applicationId: application.id, users, guilds, channels, commands };
    mkdirSync(dirname(file), { recursive: true });
    // Renamed into place, so that a crash leaves the old world or the new one.
    const saved = { ...kept, community, tour: tour.state().done, toSetUp: toSetUp() };
    writeFileSync(`${file}.new`, JSON.stringify(saved, pack));
    renameSync(`${file}.new`, file);
  };
  let timer: NodeJS.Timeout | undefined;
  const stopListening = world.changes.listen(({ t }) => {
    if (t === 'BOX_REQUEST') return; // It changes nothing.
    timer ??= setTimeout(() => {
      timer = undefined;
      save();
    }, 1000);
  });
  save();
  return () => {
    stopListening();
    clearTimeout(timer);
    save();
  };
}

/** They belong to a moment: a reloaded client no longer shows them. */
function dropEphemeral(channel: Channel): void {
  for (const [id, message] of channel.messages) {
    if (message.onlyFor !== null) channel.messages.delete(id);
  }
  channel.messageIds = channel.messageIds.filter((id) => channel.messages.has(id));
}

export function forgetWorld(file: string): void {
  rmSync(file, { force: true });
}

/** undefined: there is none, or none that this version can read. */
export function readSavedWorld(file: string): SavedWorld | undefined {
  try {
    const saved = JSON.parse(readFileSync(file, 'utf8'), unpack) as SavedWorld;
    return saved.version === 2 ? saved : undefined;
  } catch {
    return undefined;
  }
}

/** JSON knows no Map, Set, bigint or bytes: each is an array that begins with its kind. */
function pack(_: string, value: unknown): unknown {
  if (value instanceof Map) return ['$map', ...(value as Map<unknown, unknown>)];
  if (value instanceof Set) return ['$set', ...(value as Set<unknown>)];
  if (value instanceof Uint8Array) return ['$bytes', Buffer.from(value).toString('base64')];
  if (typeof value === 'bigint') return ['$bigint', value.toString()];
  return value;
}

function unpack(_: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const [kind, ...rest] = value as unknown[];
  if (kind === '$map') return new Map(rest as [unknown, unknown][]);
  if (kind === '$set') return new Set(rest);
  if (kind === '$bytes') return new Uint8Array(Buffer.from(String(rest[0]), 'base64'));
  if (kind === '$bigint') return BigInt(String(rest[0]));
  return value;
}
