import { expect, test } from 'vitest';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { checkGuild, deleteUnreadable } from '../../../src/ranking/articles/check.ts';
import { changeGroup } from '../../../src/ranking/articles/groups.ts';
import { setScale } from '../../../src/ranking/articles/mark.ts';
import { removeArticle } from '../../../src/ranking/articles/removed.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { nullIfWrongType } from '../../../src/redis/errors.ts';
import type { Snowflake } from '../../../src/runtime/snowflake.ts';
import { inconsistencies } from '../consistency.ts';
import { AI, member, NOON, post, RUST, setListed, useRanking } from '../test-ranking.ts';

const setup = useRanking();

type Change = (guild: Snowflake, article: Snowflake) => Promise<unknown>;

const changes: [name: string, change: Change][] = [
  ['a removal', (guild, article) => removeArticle(setup.ranking, guild, article, NOON)],
  ['a deletion', (guild, article) => deleteArticle(setup.ranking, guild, article)],
  [
    'a group’s end',
    (guild, article) => changeGroup(setup.ranking, { guild, article, group: AI }, 'remove'),
  ],
  ['hiding', (guild) => setListed(setup.ranking, { guild, home: RUST, listed: false })],
];

const inGuild = ['score', 'time', 'votes', 'interesting', 'open', 'removed'];
const inGroups = [RUST, AI].flatMap((group) => [`score:${group}`, `time:${group}`]);

test.each(changes)(
  '%s that a key of a wrong type stops leaves no trace in lists',
  async (_, change) => {
    const { ranking } = setup;
    for (const name of [...inGuild, ...inGroups]) {
      const guild = setup.newGuild();
      await setScale(ranking, guild, { mark: 2 });
      const article = await post(ranking, guild, { groups: [AI] });
      await setVote(ranking, { guild, article, member: member(1), vote: 'up' }, NOON);
      await post(ranking, guild);
      const { articles } = guildKeys(ranking, guild);
      const key = articles.replace(/articles$/, name);
      await ranking.redis.set(key, 'not what it was');

      // Not every change writes every key.
      await change(guild, article).catch(nullIfWrongType);
      const { broken } = await checkGuild(ranking, guild, [RUST, AI]);
      if (broken > 0) await deleteUnreadable(ranking, guild, [RUST, AI]);
      expect({ name, faults: await inconsistencies(ranking, guild) }).toEqual({ name, faults: [] });
    }
  },
);
