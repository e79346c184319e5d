import { storeKeys } from '../redis/store-keys.ts';
import { DAY_MS } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { readFields } from '../redis/scan.ts';
import { guildKeys } from './keys.ts';
import type { Ranking } from './ranking.ts';
import type { Article } from './row.ts';
import { scripts } from './scripts.ts';

// What became of articles besides their votes. Who reads a list notes what is seen in it, so that a vote costs nothing.

/** Of a list that is read, the places of so many are noted: three pages. */
const PLACES = 30;

export type Outcome = {
  /** The best place at which a reader saw it among the first 30, after anybody had voted on it; null: at none. */
  best: number | null;
  /** The editions that it led, in the order in which they were posted. */
  led: readonly { name: string; date: string }[];
  /** Since when it was first for a whole day (ms); null: it was not. */
  firstSinceMs: number | null;
  /** What its thread was told: a small letter for a line, a capital for what was passed over. */
  told: string;
  /** Its thread began with a line of the bot's that leads to the first reply. */
  isLedOn: boolean;
};

/** By article, in the order of `ids`. */
export async function readOutcomes(
  ranking: Ranking,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<Outcome[]> {
  const fields = ids.flatMap((id) => [id, ...ownFields(id)]);
  const found = await readFields(ranking.redis, guildKeys(ranking, guild).outcomes, fields);
  return ids.map((id) => {
    const since = found.get(`${id}:first`);
    return {
      best: Number(found.get(id) ?? 0) || null,
      led: (found.get(`${id}:led`) ?? '').split(' ').flatMap((edition) => {
        const [name = '', date = ''] = edition.split(/:(.*)/s);
        return date === '' ? [] : [{ name, date }];
      }),
      firstSinceMs: since === undefined ? null : Number(since),
      told: found.get(toldField(id)) ?? '',
      isLedOn: found.has(`${id}:led-on`),
    };
  });
}

/** Gives an article what became of it, as it was when it was read; what is not known stays as it is. */
export async function restoreOutcome(
  ranking: Ranking,
  guild: Snowflake,
  id: Snowflake,
  { best, led, firstSinceMs, told, isLedOn }: Outcome,
): Promise<void> {
  const fields = {
    ...(best === null ? {} : { [id]: best }),
    ...(led.length === 0 ? {} : { [`${id}:led`]: led.map(editionText).join(' ') }),
    ...(firstSinceMs === null ? {} : { [`${id}:first`]: firstSinceMs }),
    ...(told === '' ? {} : { [toldField(id)]: told }),
    ...(isLedOn ? { [`${id}:led-on`]: 1 } : {}),
  };
  if (Object.keys(fields).length === 0) return;
  await ranking.redis.hset(guildKeys(ranking, guild).outcomes, fields);
}

/** Notes the places of the first articles of the guild's list, as it was just read, and which one is first, since when. */
export async function notePlaces(
  ranking: Ranking,
  guild: Snowflake,
  articles: readonly Pick<Article, 'id' | 'up' | 'down'>[],
  now: number,
): Promise<void> {
  // Where little is posted, each new article stands high until somebody has voted.
  const judged = articles
    .slice(0, PLACES)
    .map(({ id, up, down }, at) => ({ id, place: at + 1, isJudged: up + down > 1 }))
    .filter(({ isJudged }) => isJudged);
  const { outcomes } = guildKeys(ranking, guild);
  const top = judged.find(({ place }) => place === 1)?.id;
  const ids = judged.map(({ id }) => id);
  const longField = `${top}:first`;
  const known = await readFields(ranking.redis, outcomes, ['first', longField, ...ids]);
  const changed: Record<string, string | number> = {};
  for (const { id, place } of judged) {
    if (place < (Number(known.get(id)) || Number.POSITIVE_INFINITY)) changed[id] = place;
  }
  const [first = '', sinceMs = ''] = known.get('first')?.split(' ') ?? [];
  const isStill = top !== undefined && first === top;
  // An article without votes ends the time of the one before it, and begins none.
  if (first !== (top ?? '')) changed['first'] = `${top ?? ''} ${now}`;
  const isLong = isStill && now - Number(sinceMs) >= DAY_MS && !known.has(longField);
  if (isLong) changed[longField] = sinceMs;
  if (Object.keys(changed).length === 0) return;
  const write = ranking.redis.multi().hset(outcomes, changed);
  // In the same step, the article's thread is to be told.
  if (isLong) write.zadd(storeKeys(ranking, guild).due, 0, `tell:${top}`);
  await write.exec();
  if (isLong) ranking.onPlanned(guild, 0);
}

/** Notes that an edition leads with the article, and has its thread told. */
export async function noteLed(
  ranking: Ranking,
  guild: Snowflake,
  id: Snowflake,
  edition: { name: string; date: string },
): Promise<void> {
  const { ofScripts } = guildKeys(ranking, guild);
  await scripts.noteLed(ranking.redis, ...ofScripts, id, editionText(edition));
  ranking.onPlanned(guild, 0);
}

/** Neither has a space in it, and a digest's name no colon. */
function editionText({ name, date }: { name: string; date: string }): string {
  return `${name}:${date}`;
}

/** Notes that the article's thread began with a line of the bot's, which is no comment. */
export async function noteLedOn(ranking: Ranking, guild: Snowflake, id: Snowflake): Promise<void> {
  await ranking.redis.hset(guildKeys(ranking, guild).outcomes, `${id}:led-on`, 1);
}

/** The field of what an article's thread was told, which the holder of its row writes. */
export function toldField(id: Snowflake): string {
  return `${id}:told`;
}

/** The number of lines in an article's thread that nobody but the bot said. */
export async function countTold(
  ranking: Ranking,
  guild: Snowflake,
  id: Snowflake,
): Promise<number> {
  const [outcome] = await readOutcomes(ranking, guild, [id]);
  const { told, isLedOn } = outcome!;
  return told.replace(/[^a-z]/g, '').length + (isLedOn ? 1 : 0);
}

export async function forgetOutcomes(
  ranking: Ranking,
  guild: Snowflake,
  id: Snowflake,
): Promise<void> {
  await ranking.redis.hdel(guildKeys(ranking, guild).outcomes, id, ...ownFields(id));
}

/** As `delete-article.lua` names them. */
function ownFields(id: Snowflake): string[] {
  return [`${id}:led`, `${id}:first`, toldField(id), `${id}:led-on`];
}
