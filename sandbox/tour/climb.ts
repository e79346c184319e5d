import type { Message } from '../../discord-box/src/model/message.ts';
import type { World } from '../../discord-box/src/model/world.ts';
import type { Random } from '../../discord-box/src/world/random.ts';
import { ActorError } from '../../discord-box/src/act/actor-error.ts';
import { messageOf } from './article/shown.ts';
import { readersWithoutVote, voteAs } from './community/crowd.ts';
import type { RedisView } from './redis-view.ts';
import { EVERY_MS, MOST_VOTES, openRounds } from './rounds.ts';

/** How many articles the panel lists. */
export const FRONT_LENGTH = 10;
const SEEN_MS = 3000;

type Climb = {
  /** The article that climbs now, or that climbed last. */
  article: string | null;
  /** Its place in the list when it began, from 1. */
  from: number;
  /** The article has led for some seconds, or all have voted. */
  isOver: boolean;
};

/** Members vote for an article one after another until it leads, so that its climb is visible. */
export function openClimb(world: World, redis: RedisView | undefined, random: Random) {
  const climb: Climb = { article: null, from: 0, isOver: false };
  const { start: begin, stop } = openRounds();

  return {
    state: (): Climb => climb,
    /** Begins with the lowest open article of the list. */
    async start(guildId: string): Promise<void> {
      const guild = world.guilds.get(guildId);
      const lines = (await redis?.front(guildId, FRONT_LENGTH)) ?? [];
      const at = lines.findLastIndex(({ closed }) => !closed);
      const message: Message | undefined = messageOf(world, lines[at]?.id ?? '');
      const channel = world.channels.get(message?.channelId ?? '');
      if (guild === undefined || channel === undefined || message === undefined || at < 1) {
        throw new ActorError('nothing-to-climb');
      }
      Object.assign(climb, { article: message.id, from: at + 1, isOver: false });
      const voters = readersWithoutVote(world, guild, message, MOST_VOTES);
      let waited = 0;
      begin(async () => {
        const [first] = (await redis?.front(guildId, 1)) ?? [];
        const voter = first?.id === message.id ? undefined : voters.pop();
        if (voter !== undefined && channel.messages.has(message.id)) {
          return voteAs(world, { channel, message }, voter, random.next() < 0.97);
        }
        waited += EVERY_MS;
        climb.isOver = waited > SEEN_MS;
        if (climb.isOver) stop();
      });
    },
    stop,
  };
}
