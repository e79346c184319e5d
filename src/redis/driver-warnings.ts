import type { Log } from '../runtime/log.ts';

/** The check at the start says it in a sentence. */
const KNOWN = /^Skipping the ready check/;

/**
 * What stands in the place of `console.warn`, which the driver calls at each connection: a warning is logged once,
 * and not at all where the bot's own start says the same.
 */
export function openDriverWarnings(log: Log): (text: unknown) => void {
  const told = new Set<string>();
  return (text) => {
    const warning = String(text).replace(/^\[WARN\] /, '');
    if (told.has(warning)) return;
    told.add(warning);
    if (KNOWN.test(warning)) log.debug(warning);
    else log.warn(warning);
  };
}
