import { actAs } from '../../discord-box/src/act/actor.ts';
import { ActorError } from '../../discord-box/src/act/actor-error.ts';
import type { World } from '../../discord-box/src/model/world.ts';
import { compareIds, type Snowflake } from '../../discord-box/src/model/snowflakes.ts';
import { isArticle, messageOf, messagesOf } from './article/shown.ts';
import { posterIn } from './article/text.ts';
import { FRONT_LENGTH } from './climb.ts';
import type { Community } from './community/community.ts';
import { readersWithoutVote, voteAs } from './community/crowd.ts';
import { threadOf } from './community/days.ts';
import { wordsOf } from './languages/languages.ts';
import type { RedisView } from './redis-view.ts';
import { MOST_VOTES, openRounds } from './rounds.ts';

/** Of what a member posted, the newest of so many that can still become interesting. */
const OWN_AT_MOST = 5;

/** A member answers an article and others vote until it is interesting, so that its poster is told in its thread. */
export function openTalk(world: World, redis: RedisView | undefined, community: Community) {
  const { start: begin, stop } = openRounds();

  const isInteresting = async (id: Snowflake): Promise<boolean> => {
    const look = await redis?.look(community.guild.id, id);
    return look?.status === 'found' && look.article.interesting;
  };

  /** The member's newest that can still become interesting, or else the best of the list. */
  async function choose(by: Snowflake): Promise<Snowflake | undefined> {
    const own = [...messagesOf(world)]
      .filter((one) => isArticle(one, world.application.botId) && posterIn(one.content) === by)
      .map(({ id }) => id)
      .sort((a, b) => compareIds(b, a))
      .slice(0, OWN_AT_MOST);
    const front = (await redis?.front(community.guild.id, FRONT_LENGTH)) ?? [];
    for (const id of [...own, ...front.map((line) => line.id)]) {
      const look = await redis?.look(community.guild.id, id);
      const { interesting, closed } =
        look?.status === 'found' ? look.article : { interesting: true, closed: true };
      if (!interesting && !closed) return id;
    }
    return undefined;
  }

  return {
    /** Returns the article. */
    async start(by: Snowflake): Promise<Snowflake> {
      const message = messageOf(world, (await choose(by)) ?? '');
      const channel = world.channels.get(message?.channelId ?? '');
      if (message === undefined || channel === undefined) throw new ActorError('nothing-to-climb');
      const poster = posterIn(message.content);
      const authorId = community.members.find((member) => member !== poster && member !== by);
      const content = wordsOf(community.language).replies[0] ?? '👏';
      actAs(world, authorId ?? community.admin).send(channel.id, content, message.id);
      // The bot tells a thread that is there, and passes over the line where there is none yet.
      await threadOf(world, message.id);
      const voters = readersWithoutVote(world, community.guild, message, MOST_VOTES);
      begin(async () => {
        const voter = voters.pop();
        if (voter === undefined || !channel.messages.has(message.id)) return stop();
        if (await isInteresting(message.id)) return stop();
        voteAs(world, { channel, message }, voter, true);
      });
      return message.id;
    },
    stop,
  };
}
