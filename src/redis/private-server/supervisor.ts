import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fault, type Log } from '../../log.ts';
import { endServer, type Launch, launchServer, type ServerProcess } from './process.ts';
import { recogniseServer } from './record.ts';

export type Supervisor = {
  current(): ServerProcess;
  /** Ends the server and waits until its process is gone. */
  stop(): Promise<void>;
};

/** A server that lived for so long starts at once when it dies; others wait longer each time. */
const steadyMs = 60_000;
const shortestWaitMs = 100;
const longestWaitMs = 10_000;
const socketCheckMs = 5000;

/** Keeps a server running: when it dies, it is started again on the same data and socket. */
export function superviseServer(first: ServerProcess, launch: Launch, log: Log): Supervisor {
  const { folder, socket } = launch;
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = once(signal, 'abort');
  let server = first;

  async function run(): Promise<void> {
    let startedAt = performance.now();
    let failures = 0;
    for (;;) {
      await Promise.race([server.ended, stopped]);
      if (signal.aborted) return endServer(folder, server);
      log.error({ pid: server.record.pid }, 'The private Redis server has ended.');
      if (performance.now() - startedAt > steadyMs) failures = 0;
      const next = await revive(failures++);
      if (next === null) return;
      server = next;
      startedAt = performance.now();
      log.info({ pid: server.record.pid }, 'The private Redis server runs again.');
    }
  }

  /** Tries until a server runs; null when it is wanted no longer. */
  async function revive(failures: number): Promise<ServerProcess | null> {
    for (let tries = failures; ; tries++) {
      const waitMs = Math.min(shortestWaitMs * 2 ** tries, longestWaitMs);
      await pause(tries === 0 ? 0 : waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return null;
      try {
        // The connection can end without the server.
        return (
          (await recogniseServer(folder, server.record)) ?? (await launchServer(launch, signal))
        );
      } catch (error) {
        if (signal.aborted) return null;
        log.error(fault(error), 'The private Redis server did not start.');
      }
    }
  }

  const watch = setInterval(() => {
    if (existsSync(socket) || signal.aborted) return;
    log.warn({ socket }, 'The socket of the private Redis server was removed.');
    server.connection.shutdown('NOSAVE').catch(() => {}); // Starting again makes a new one.
  }, socketCheckMs);
  watch.unref();

  const running = run();
  return {
    current: () => server,
    stop: () => {
      clearInterval(watch);
      stopping.abort();
      return running;
    },
  };
}
