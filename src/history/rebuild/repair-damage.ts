import { checkGuild } from '../../ranking/articles/check.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { declareIncomplete, readRebuildState } from './stored-rebuilds.ts';
import { forgetImported } from '../../articles/imported.ts';
import { setAsideWrongTypes } from '../../community/known-guilds.ts';
import { withLease } from '../../redis/lease.ts';
import type { RecountNeeds } from '../../votes/recount-needs.ts';

const someGone = 'Stored articles of a guild are damaged or gone, and are read again from Discord.';
const allGone =
  'All stored articles of a guild are gone, and are read again from Discord. A fitted mark begins anew, and imported articles have to be imported again.';

/**
 * `lost`: articles are missing, which a rebuild has to read from Discord. `held`: a rebuild or another
 * check is under way.
 */
type Repaired = { status: 'nothing' | 'lists' | 'lost' | 'held' };

/**
 * Checks whether the guild's keys fit one another, and repairs them from the rows and from Discord.
 * One process does it at a time.
 */
export function repairDamage(needs: RecountNeeds, guild: Snowflake): Promise<Repaired> {
  const { store, log } = needs;
  return withLease<Repaired>(needs, { guild, work: 'check' }, async () => {
    await setAside(needs, guild);
    const state = await readRebuildState(store, guild);
    // A rebuild under way changes the keys.
    if (!state.complete || state.begun) return { status: 'held' };
    const damage = await check(needs, guild);
    const { broken, wrongTypes, misplaced, isGone } = damage;
    if (broken === 0 && wrongTypes.length === 0 && misplaced === 0 && !isGone) {
      return { status: 'nothing' };
    }
    if (broken > 0 || isGone || wrongTypes.some((key) => key === 'articles' || key === 'texts')) {
      await declareIncomplete(store, guild);
      const isAllGone = isGone || wrongTypes.includes('articles');
      if (isAllGone) await forgetImported(store, guild);
      log.error({ guild, ...damage }, isAllGone ? allGone : someGone);
      return { status: 'lost' };
    }
    log.error({ guild, ...damage }, 'Stored lists of a guild were damaged, and are made again.');
    return { status: 'lists' };
  });
}

/** Repairs what a rebuild could not read or write. It begins anew then. */
export async function repairForRebuild(needs: RecountNeeds, guild: Snowflake): Promise<void> {
  await withLease(needs, { guild, work: 'rebuild' }, async () => {
    await setAside(needs, guild);
    await check(needs, guild);
    await declareIncomplete(needs.store, guild);
  });
}

function check({ client, ranking }: RecountNeeds, guild: Snowflake): ReturnType<typeof checkGuild> {
  return checkGuild(ranking, guild, client.guilds.cache.get(guild)?.channels.cache.keys() ?? []);
}

async function setAside({ store, rules, log }: RecountNeeds, guild: Snowflake): Promise<void> {
  const aside = await setAsideWrongTypes(store, guild);
  if (Object.keys(aside).length === 0) return;
  await rules.reload(guild);
  log.error({ guild, aside }, 'Stored data of a guild cannot be read and was set aside.');
}
