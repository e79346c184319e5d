import type { App } from '../app.ts';

const turns = new WeakMap<App, Map<string, Promise<unknown>>>();

/** Recounts an article, or a guild, once at a time, so that no older reading overrules a newer one. */
export async function exclusively<T>(
  app: App,
  what: string,
  recount: () => Promise<T>,
): Promise<T> {
  const all = turns.get(app) ?? new Map<string, Promise<unknown>>();
  turns.set(app, all);
  const turn = (all.get(what) ?? Promise.resolve()).then(recount, recount);
  all.set(what, turn);
  try {
    return await turn;
  } finally {
    if (all.get(what) === turn) all.delete(what);
  }
}
