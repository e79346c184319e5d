/** Runs work on one subject one at a time, in the order of the calls. */
export type Mutex = <T>(subject: string, work: () => Promise<T>) => Promise<T>;

export function openMutex(): Mutex {
  const last = new Map<string, Promise<unknown>>();
  return async (subject, work) => {
    const turn = (last.get(subject) ?? Promise.resolve()).then(work, work);
    last.set(subject, turn);
    try {
      return await turn;
    } finally {
      if (last.get(subject) === turn) last.delete(subject);
    }
  };
}
