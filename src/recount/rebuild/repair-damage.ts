import type { App } from '../../app.ts';
import { checkGuild } from '../../ranking/articles/check.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { declareIncomplete, readRebuildState } from '../../records/history/rebuilds.ts';
import { forgetImported } from '../../records/history/imports.ts';
import { setAsideWrongTypes } from '../../records/guilds.ts';
import { type LeaseParts, withLease } from '../../redis/lease.ts';

/**
 * `lost`: articles are missing, which a rebuild has to read from Discord. `later`: a rebuild or another
 * check is under way.
 */
type Repaired = 'nothing' | 'lists' | 'lost' | 'later';

/**
 * Checks whether the guild's keys fit one another, and repairs them from the rows and from Discord.
 * One process does it at a time; another one gets `later`.
 */
export async function repairDamage(
  app: LeaseParts & Pick<App, 'client' | 'ranking' | 'rules'>,
  guild: Snowflake,
): Promise<Repaired> {
  const outcome = await withLease(app, { guild, work: 'check' }, () => repair(app, guild));
  return typeof outcome === 'string' ? outcome : 'later';
}

/** Repairs what a rebuild could not read or write. It begins anew then. */
export async function repairForRebuild(
  app: LeaseParts & Pick<App, 'client' | 'ranking' | 'rules'>,
  guild: Snowflake,
): Promise<void> {
  await withLease(app, { guild, work: 'rebuild' }, async () => {
    await setAside(app, guild);
    await checkGuild(app.ranking, guild, channelsOf(app, guild));
    await declareIncomplete(app.store, guild);
  });
}

function channelsOf({ client }: Pick<App, 'client'>, guild: Snowflake): Iterable<Snowflake> {
  return client.guilds.cache.get(guild)?.channels.cache.keys() ?? [];
}

async function setAside(
  { store, rules, log }: Pick<App, 'store' | 'rules' | 'log'>,
  guild: Snowflake,
): Promise<void> {
  const aside = await setAsideWrongTypes(store, guild);
  if (Object.keys(aside).length === 0) return;
  await rules.reload(guild);
  log.error({ guild, aside }, 'Stored data of a guild cannot be read and was set aside.');
}

const someGone = 'Stored articles of a guild are damaged or gone, and are read again from Discord.';
const allGone =
  'All stored articles of a guild are gone, and are read again from Discord. A fitted mark begins anew, and imported articles have to be imported again.';

async function repair(
  app: Pick<App, 'client' | 'ranking' | 'store' | 'log' | 'rules'>,
  guild: Snowflake,
): Promise<Repaired> {
  const { store, ranking, log } = app;
  await setAside(app, guild);
  const state = await readRebuildState(store, guild);
  // A rebuild under way changes the keys.
  if (!state.complete || state.begun) return 'later';
  const damage = await checkGuild(ranking, guild, channelsOf(app, guild));
  const { broken, wrongTypes, misplaced, isGone } = damage;
  if (broken === 0 && wrongTypes.length === 0 && misplaced === 0 && !isGone) return 'nothing';
  if (broken > 0 || isGone || wrongTypes.some((key) => key === 'articles' || key === 'texts')) {
    await declareIncomplete(store, guild);
    const isAllGone = isGone || wrongTypes.includes('articles');
    if (isAllGone) await forgetImported(store, guild);
    log.error({ guild, ...damage }, isAllGone ? allGone : someGone);
    return 'lost';
  }
  log.error({ guild, ...damage }, 'Stored lists of a guild were damaged, and are made again.');
  return 'lists';
}
