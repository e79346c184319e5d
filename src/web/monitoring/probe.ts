import { randomInt } from 'node:crypto';
import { postArticle, deleteArticle } from '../../ranking/articles/articles.ts';
import { listArticles } from '../../ranking/lists/ranked.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import { snowflakeAt } from '../../ranking/snowflake.ts';
import { castVote } from '../../ranking/ballots/votes.ts';

/** No guild of Discord has this id, and no list of guilds holds it. */
const guild = '0';
const group = '1';
/** A probe's article of this age was left by a process that died. */
const LEFT_MS = 60_000;

/**
 * Casts a real vote with the real script on an article of its own and deletes the article. Resolves
 * with the seconds that the vote took. Throws if Redis cannot store a vote, for example because its
 * memory is full or it became a replica; a PING would not show this.
 */
export async function probeRanking(ranking: Ranking, now: number): Promise<number> {
  const left = await listArticles(ranking, {
    guild,
    group,
    order: 'time-asc',
    page: 1,
    pageSize: 5,
  });
  for (const { id, postedAtMs } of left.articles) {
    if (postedAtMs < now - LEFT_MS) await deleteArticle(ranking, guild, id);
  }
  // The lower bits keep the probes of several processes apart.
  const id = String(BigInt(snowflakeAt(now)) | BigInt(randomInt(2 ** 22)));
  await postArticle(ranking, {
    guild,
    id,
    title: 'probe',
    link: 'https://probe.invalid/',
    linkName: `probe ${id}`,
    poster: '1',
    home: group,
    listed: false,
  });
  try {
    const startedMs = performance.now();
    const { status } = await castVote(
      ranking,
      { guild, article: id, member: '2', vote: 'up' },
      now,
    );
    if (status !== 'counted') throw new Error(`The probe's vote was ${status}.`);
    return (performance.now() - startedMs) / 1000;
  } finally {
    await deleteArticle(ranking, guild, id);
  }
}
