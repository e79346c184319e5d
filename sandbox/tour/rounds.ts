/** Enough for the lowest article of the list to lead, unless thousands voted for the first, and for any mark. */
export const MOST_VOTES = 150;
export const EVERY_MS = 250;

/** Does something again and again, so that it is seen, until it is stopped. */
export function openRounds() {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearInterval(timer);
  return {
    /** In place of what was done before. */
    start: (next: () => Promise<void>): void => {
      stop();
      let isBusy = false;
      timer = setInterval(() => {
        if (isBusy) return;
        isBusy = true;
        void next().finally(() => {
          isBusy = false;
        });
      }, EVERY_MS);
    },
    stop,
  };
}
