import { type APIMessage, Routes } from 'discord.js';
import { button, row } from '../../discord/interactions/components.ts';
import { nonceOf } from '../../discord/requests/requests.ts';
import { fault } from '../../runtime/log.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import { translate } from '../../text/catalogue.ts';
import type { ImportNeeds } from './import-needs.ts';
import { languageOf, readReport } from './import-report.ts';
import { noteLost, readLost } from './stored-imports.ts';

/**
 * Whether Redis knows of no import: then the reports that a rebuild meets are of imports whose articles are
 * gone. They are members' messages, so a rebuild cannot find them.
 */
export async function lacksImports(
  { store }: Pick<ImportNeeds, 'store'>,
  guild: Snowflake,
): Promise<boolean> {
  return (await store.redis.exists(storeKeys(store, guild).imported)) === 0;
}

/** Records the reports among these messages. */
export async function noteReports(
  { store, self }: Pick<ImportNeeds, 'store' | 'self'>,
  guild: Snowflake,
  messages: readonly APIMessage[],
): Promise<void> {
  for (const message of messages) {
    const lost = message.author.id === self ? readReport(message) : null;
    if (lost) await noteLost(store, guild, message.id, lost);
  }
}

/** Says in the channel of the newest report that imports are missing, and offers to run them again. */
export async function offerLost(
  needs: Pick<ImportNeeds, 'store' | 'client' | 'requests' | 'rules' | 'log'>,
  guild: Snowflake,
): Promise<void> {
  const { store, client, requests, log } = needs;
  const [newest] = await readLost(store, guild);
  if (!newest) return;
  const locale = await languageOf(needs, guild);
  const again = translate(locale, 'import.button.again');
  const target = { guild, channel: newest.report };
  const body = {
    content: translate(locale, 'import.lost'),
    components: [row(button('frontpage|import|start', again, 'main'))],
    allowed_mentions: { parse: [] },
    nonce: nonceOf(guild, 'import lost', newest.report),
    enforce_nonce: true,
  };
  log.warn({ guild }, 'Imported articles are missing since Redis lost them: a report offers them.');
  try {
    const route = Routes.channelMessages(newest.report);
    await requests.ask(target, 'POST', () => client.rest.post(route, { body }));
  } catch (error) {
    // The set-up offers it too.
    log.info({ ...fault(error), ...target }, 'Missing imports could not be offered.');
  }
}
