import { addMember } from '../../discord-box/src/world/guilds/change-member.ts';
import type { Message, Random } from '../../discord-box/src/index.ts';
import type { Community } from '../../discord-box/test/community.ts';
import { readArticleMessage } from '../../src/articles/messages/article-message.ts';
import { directionOf } from '../../src/discord/vote-emoji.ts';

export type Place = { guild: string; channel: string };
export type Posted = Place & { id: string; link: string };

/** Many guilds of one channel each, all with the same members. */
export type DrillGuilds = {
  places: Place[];
  /** All articles' messages in Discord's record, also those that the bot does not know. */
  articles(): Posted[];
  /** How each member who counts votes on an article, as Discord shows it. */
  votes(article: Posted): Map<string, 'up' | 'down'>;
  /** The headlines of the digests in a channel, one a message. */
  digests(channel: string): string[];
  /** Posts as the owner. True where the answer says that it is posted. */
  post({ channel }: Place, link: string): Promise<boolean>;
  /** Members vote on random articles until `stop`, which returns the number of votes. */
  startVoting(perSecond: number): { count(): number; stop(): number };
};

/** The guilds are spread over the shards evenly, since each was made a millisecond after the last. */
export function createGuilds(
  sandbox: Community,
  random: Random,
  size: { guilds: number; members: number },
): DrillGuilds {
  const { world, operator, admin } = sandbox;
  // Longer ago than a guild is welcomed as a new one.
  const joinedMs = Math.floor(world.clock.now()) - 60 * 86_400_000;
  const places = Array.from({ length: size.guilds }, (_, n): Place => {
    const bornMs = joinedMs + n;
    const made = operator.createGuild({ name: `Guild ${n}`, owner: admin, bornMs, joinedMs });
    return { guild: made.guild, channel: made.general };
  });
  const members = Array.from({ length: size.members }, (_, n) =>
    operator.addPerson({ username: `voter-${n}` }),
  );
  for (const { guild } of places) {
    for (const member of members) addMember(world, world.guilds.get(guild)!, member);
  }
  const voters = new Set(members);
  const actors = members.map((member) => sandbox.as(member));
  const messagesOf = (channel: string) => [...world.channels.get(channel)!.messages.values()];

  function vote(): void {
    const { channel } = random.pick(places);
    const articles = messagesOf(channel).filter(isArticle);
    if (articles.length === 0) return;
    const { id } = random.pick(articles);
    const actor = random.pick(actors);
    // Nobody shows both, since Discord does not tell which of two is the vote.
    const [shown, other] = random.below(3) === 0 ? ['👎', '👍'] : ['👍', '👎'];
    actor.unreact(channel, id, other);
    if (random.below(5) === 0) actor.unreact(channel, id, shown);
    else actor.react(channel, id, shown);
  }

  return {
    places,
    articles: () =>
      places.flatMap((place) =>
        messagesOf(place.channel)
          .filter(isArticle)
          .map((message) => ({
            ...place,
            id: message.id,
            link: readArticleMessage(message)?.link ?? '',
          })),
      ),
    votes({ channel, id }) {
      const { reactions } = world.channels.get(channel)!.messages.get(id)!;
      const votes = new Map<string, 'up' | 'down'>();
      for (const { emoji, normal } of reactions.values()) {
        const direction = directionOf(emoji.name);
        for (const member of normal) {
          if (direction && voters.has(member)) votes.set(member, direction);
        }
      }
      return votes;
    },
    digests: (channel) =>
      messagesOf(channel)
        .filter((message) => !isArticle(message) && message.onlyFor === null)
        .map(({ content }) => content.split('\n', 1)[0] ?? ''),
    async post({ channel }, link) {
      const answer = await sandbox.as(admin).command(channel, 'post', { link });
      return answer.kind === 'message' && !answer.ephemeral;
    },
    startVoting(perSecond) {
      const everyMs = 20;
      let cast = 0;
      const timer = setInterval(() => {
        const due = Math.max(1, Math.round((perSecond * everyMs) / 1000));
        for (let n = 0; n < due; n += 1) vote();
        cast += due;
      }, everyMs);
      return {
        count: () => cast,
        stop() {
          clearInterval(timer);
          return cast;
        },
      };
    },
  };
}

function isArticle(message: Message): boolean {
  return message.onlyFor === null && readArticleMessage(message) !== null;
}
