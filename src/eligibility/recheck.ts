import { fault, type Log } from '../log.ts';
import { openArticles } from '../ranking/articles/closing.ts';
import { VOTING_OPEN_MS } from '../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../ranking/snowflake.ts';
import { countVote, discountVote, readUncounted } from '../ranking/ballots/uncounted.ts';
import { readVoters } from '../ranking/ballots/voters.ts';
import type { Client } from 'discord.js';
import type { Clock } from '../clock.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { asksDiscord, discountOf, type MemberFacts, stillDiscounted } from './rules.ts';
import type { GuildRules, Rules } from './guild-rules.ts';
import { readMemberFacts } from './members.ts';

type Needs = {
  client: Client;
  ranking: Ranking;
  rules: GuildRules;
  clock: Clock;
  messageUpdates: { note(guild: Snowflake, article: Snowflake): void };
  stopping: AbortSignal;
};

/** Articles whose voters are asked for together. */
const step = 50;

/**
 * Judges the voters of open articles by what Discord says of them now, in both directions: whether
 * they have been here long enough, and have one of the roles that may vote. Nothing is asked where
 * the guild demands neither. Who has left stays as they were judged while they were here.
 */
export async function recheckVoters(
  bot: Needs,
  guild: Snowflake,
  articles?: readonly Snowflake[],
): Promise<void> {
  const rules = await bot.rules.refresh(guild);
  if (!asksDiscord(rules)) return;
  const all = articles ?? (await openArticles(bot.ranking, guild));
  const standings = new Map<Snowflake, MemberFacts | null>();
  for (let i = 0; i < all.length; i += step) {
    const ballots = await Promise.all(
      all.slice(i, i + step).map(async (article) => {
        const [voters, uncounted] = await Promise.all([
          readVoters(bot.ranking, guild, article),
          readUncounted(bot.ranking, guild, article),
        ]);
        return { article, voters, uncounted };
      }),
    );
    const voting = ballots.flatMap((each) => [...each.voters.keys(), ...each.uncounted.keys()]);
    const unknown = [...new Set(voting)].filter((member) => !standings.has(member));
    for (const [member, standing] of await readMemberFacts(bot, guild, unknown)) {
      standings.set(member, standing);
    }
    for (const ballot of ballots) await judge(bot, rules, guild, ballot, standings);
  }
}

type Ballots = {
  article: Snowflake;
  voters: Awaited<ReturnType<typeof readVoters>>;
  uncounted: Awaited<ReturnType<typeof readUncounted>>;
};

async function judge(
  { ranking, clock, messageUpdates }: Needs,
  rules: Rules,
  guild: Snowflake,
  { article, voters, uncounted }: Ballots,
  standings: ReadonlyMap<Snowflake, MemberFacts | null>,
): Promise<void> {
  const now = clock.now();
  // Before the last votes are frozen the voting time is over already.
  const at = Math.min(now, snowflakeTimeMs(article) + VOTING_OPEN_MS - 1);
  const outcomes = await Promise.all([
    ...[...voters.keys()].map((member) => {
      const standing = standings.get(member);
      const discount = standing ? discountOf(rules, standing, now) : null;
      return discount && discountVote(ranking, { guild, article, member, ...discount }, at);
    }),
    ...[...uncounted].map(([member, entry]) => {
      const standing = standings.get(member);
      if (!standing) return null;
      const discount = stillDiscounted(rules, member, entry, now, standing);
      const ballot = { guild, article, member };
      if (!discount) return countVote(ranking, ballot, at);
      const { reason, untilMs, joinedAtMs } = discount;
      const isSame = [reason, untilMs, joinedAtMs].every(
        (part, i) => part === [entry.reason, entry.untilMs, entry.joinedAtMs][i],
      );
      return isSame ? null : discountVote(ranking, { ...ballot, ...discount }, at);
    }),
  ]);
  if (outcomes.some((outcome) => outcome?.status === 'counted'))
    messageUpdates.note(guild, article);
}

/**
 * Judges guilds in the background, each once at a time: it can take minutes, and holds up nothing.
 * What fails is tried again; what a process does not get to, the next night does.
 */
export type Recheck = { soon(guild: Snowflake): void; stop(): Promise<void> };

const retryMs = 60_000;
const triesAtMost = 5;

export function openRecheck(bot: Needs & { log: Log }): Recheck {
  const { log, stopping } = bot;
  /** Guilds at work, and whether their rules changed meanwhile. */
  const working = new Map<Snowflake, { again: boolean; done: Promise<void> }>();
  const timers = new Set<NodeJS.Timeout>();

  function soon(guild: Snowflake, tries = 1): void {
    if (stopping.aborted) return;
    const current = working.get(guild);
    if (current) {
      current.again = true;
      return;
    }
    const done = recheckVoters(bot, guild)
      .catch((error: unknown) => {
        if (stopping.aborted) return;
        log.info({ ...fault(error), guild, tries }, 'Voters could not be judged anew.');
        if (tries >= triesAtMost) return;
        const timer = setTimeout(() => {
          timers.delete(timer);
          soon(guild, tries + 1);
        }, retryMs);
        timers.add(timer);
      })
      .finally(() => {
        const again = working.get(guild)?.again === true;
        working.delete(guild);
        if (again) soon(guild);
      });
    working.set(guild, { again: false, done });
  }

  return {
    soon: (guild) => soon(guild),
    async stop() {
      for (const timer of timers) clearTimeout(timer);
      await Promise.all([...working.values()].map(({ done }) => done));
    },
  };
}
