import { fork } from 'node:child_process';

/**
 * Another client, in its own process so that it waits for Redis only: it sends the smallest command a
 * thousand times a second and keeps its longest wait.
 */
export type Watch = {
  /** The longest wait in ms during some work. */
  worstDuring(work: () => Promise<void>): Promise<number>;
  stop(): void;
};

export async function watchWaits(url: string): Promise<Watch> {
  const child = fork(new URL('bystander-process.ts', import.meta.url), [url], { stdio: 'inherit' });
  const answer = () =>
    new Promise<number>((resolve) => child.once('message', (message) => resolve(Number(message))));
  await answer();
  return {
    async worstDuring(work) {
      child.send('start');
      await answer();
      await work();
      child.send('stop');
      return answer();
    },
    stop: () => child.disconnect(),
  };
}
