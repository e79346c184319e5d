import { openArticles } from '../ranking/articles/closing.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { countVote, discountVote, readUncounted } from '../ranking/ballots/uncounted.ts';
import { readVoters } from '../ranking/ballots/voters.ts';
import type { App } from '../app.ts';
import { discountOf, stillDiscounted } from './rules.ts';
import type { Rules } from './guild-rules.ts';
import { warn } from '../redis/errors.ts';

type Needs = Pick<App, 'ranking' | 'rules' | 'clock' | 'messageUpdates'>;

/** Articles that are looked at side by side. */
const step = 50;

/**
 * After the guild's rules changed: every vote on an open article counts or not as they say now, by
 * what is stored. Roles are not, nor when somebody joined whose vote counts: see `judging.ts`.
 */
export async function applyRules(bot: Needs, guild: Snowflake): Promise<void> {
  const rules = await bot.rules.refresh(guild);
  await walk(bot, guild, async (article) => {
    const discounted = await discountVoters(bot, rules, guild, article);
    const counted = await countAgain(bot, rules, guild, article);
    return discounted || counted;
  });
}

/** The same for one article, whose votes could not be changed before. */
export async function applyRulesTo(
  bot: Needs,
  guild: Snowflake,
  article: Snowflake,
): Promise<void> {
  const rules = await bot.rules.read(guild);
  const discounted = await discountVoters(bot, rules, guild, article);
  const counted = await countAgain(bot, rules, guild, article);
  if (discounted || counted) bot.messageUpdates.note(guild, article);
}

/** What did not count for a time, and now does: an account has grown, a block has ended. */
export async function countGrown(bot: Needs, guild: Snowflake): Promise<void> {
  const rules = await bot.rules.read(guild);
  await walk(bot, guild, (article) => countAgain(bot, rules, guild, article));
}

/** For every minute. A guild that cannot be looked at now is looked at in the next. */
export async function countGrownEverywhere(
  bot: Needs & Pick<App, 'client' | 'log' | 'stopping'>,
): Promise<void> {
  for (const guild of bot.client.guilds.cache.keys()) {
    if (bot.stopping.aborted) return;
    try {
      await countGrown(bot, guild);
    } catch (error) {
      warn(bot.log, error, { guild }, 'Votes that count again could not be looked for.');
    }
  }
}

async function walk(
  { ranking, messageUpdates }: Needs,
  guild: Snowflake,
  apply: (article: Snowflake) => Promise<boolean>,
): Promise<void> {
  const open = await openArticles(ranking, guild);
  for (let i = 0; i < open.length; i += step) {
    const some = open.slice(i, i + step);
    const changed = await Promise.all(some.map(apply));
    some.filter((_, n) => changed[n]).forEach((article) => messageUpdates.note(guild, article));
  }
}

async function discountVoters(
  { ranking, clock }: Needs,
  rules: Rules,
  guild: Snowflake,
  article: Snowflake,
): Promise<boolean> {
  const now = clock.now();
  const blocks = [...rules.blocks.values()].some(({ voting }) => voting);
  if (!blocks && rules.settings['account-days'] === 0) return false;
  const outcomes = await Promise.all(
    [...(await readVoters(ranking, guild, article)).keys()].flatMap((member) => {
      const discount = discountOf(rules, { id: member, joinedAtMs: null, roles: null }, now);
      return discount ? [discountVote(ranking, { guild, article, member, ...discount }, now)] : [];
    }),
  );
  return outcomes.some(({ status }) => status === 'counted');
}

async function countAgain(
  { ranking, clock }: Needs,
  rules: Rules,
  guild: Snowflake,
  article: Snowflake,
): Promise<boolean> {
  const now = clock.now();
  const outcomes = await Promise.all(
    [...(await readUncounted(ranking, guild, article))].map(async ([member, entry]) => {
      const discount = stillDiscounted(rules, member, entry, now);
      const ballot = { guild, article, member };
      if (!discount) return countVote(ranking, ballot, now);
      const same = discount.reason === entry.reason && discount.untilMs === entry.untilMs;
      return same ? null : discountVote(ranking, { ...ballot, ...discount }, now);
    }),
  );
  return outcomes.some((outcome) => outcome?.status === 'counted');
}
