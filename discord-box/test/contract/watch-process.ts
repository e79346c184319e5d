import { subscribe } from 'node:diagnostics_channel';
import { type Exchange, type Exchanges, OPENED } from '../../src/model/exchanges.ts';
import { loadCheck } from '../../contract/check.ts';

/**
 * For a Discord in a box that runs in a process of its own, with `--import`: says on the standard error what
 * Discord's specification does not allow, and in the end how much was held to it.
 */
const check = await loadCheck();
let checked = 0;
function hold(exchange: Exchange): void {
  checked += 1;
  const { ofBot, ofDiscord } = check(exchange);
  for (const violation of [...ofBot, ...ofDiscord]) console.error(`Not as specified: ${violation}`);
}
subscribe(OPENED, (exchanges) => void (exchanges as Exchanges).watch(hold));
process.once('exit', () => console.error(`Held to Discord's specification: ${checked} exchanges.`));
