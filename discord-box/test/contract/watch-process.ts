import { watchExchanges } from '../../src/rest/exchanges.ts';
import { loadCheck } from '../../contract/check.ts';

/**
 * For a Discord in a box that runs in a process of its own, with `--import`: says on the standard error what
 * Discord's specification does not allow, and in the end how much was held to it.
 */
const check = await loadCheck();
let checked = 0;
watchExchanges((exchange) => {
  checked += 1;
  const { ofBot, ofDiscord } = check(exchange);
  for (const fault of [...ofBot, ...ofDiscord]) console.error(`Not as specified: ${fault}`);
});
process.once('exit', () => console.error(`Held to Discord's specification: ${checked} exchanges.`));
