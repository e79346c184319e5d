import type { App, RunningApp } from './app.ts';
import type { DiscordClock } from './discord/requests/discord-clock.ts';
import { openDigestContext } from './digests/posting/posting-context.ts';
import { rebuildDue, runDueDigests } from './digests/run-due.ts';
import { everyMinute } from './runtime/every-minute.ts';
import { type Lifecycle, openLifecycle } from './guilds/lifecycle.ts';
import { fault } from './runtime/log.ts';
import { finishErasing } from './privacy/member-data.ts';
import { recountArticlesInVoting } from './votes/recount/compare.ts';
import { continueImports } from './history/import/import.ts';
import { followRecounts, type Recounts } from './votes/recount/scheduler.ts';
import { openWarnings } from './redis/errors.ts';

const SUSPECTS_EVERY_MS = 1000;
/** An emptied Redis is filled again within a minute, and that takes most of it. */
const RANKINGS_EVERY_MS = 10_000;

/** What the bot does by itself, besides following events. */
export type Jobs = {
  recounts: Recounts;
  lifecycle: Lifecycle;
  /** Each is due once a minute. None waits for another: recounts wait for Discord's limits. */
  minutely: readonly (() => Promise<void>)[];
};

/** Begins what is done once at the start, and what follows events. `runJobs` does the rest. */
export function openJobs(running: RunningApp, recountAfterMs?: number): Jobs {
  const { app } = running;
  const { client, log, stopping } = app;
  const warn = openWarnings(log);
  const context = openDigestContext(app, (guild, articles) =>
    recountArticlesInVoting(app, guild, { articles }),
  );
  const recounts = followRecounts(running, recountAfterMs);
  const lifecycle = openLifecycle(running, {
    recount: (guild) => recounts.soon(guild),
    refresh: (guild) => rebuildDue(context, [guild]),
    erase: (guild) => finishErasing(app, guild),
  });

  const runDigests = () =>
    runDueDigests(context, stopping).catch((error: unknown) => {
      warn(error, {}, 'The digests could not be looked at; the next minute tries again.');
    });
  const lookAtImports = () =>
    continueImports(app).catch((error: unknown) => {
      warn(error, {}, 'Imports could not be looked for; the next minute tries again.');
    });

  const updateBoards = () =>
    app.board.tick().catch((error: unknown) => {
      warn(error, {}, 'The boards could not be looked at; the next minute tries again.');
    });

  const rebuilt = rebuildDue(context, client.guilds.cache.keys()).catch((error: unknown) => {
    log.error(fault(error), 'What is due could not be rebuilt.');
  });
  app.hold(rebuilt);
  app.hold(lookAtImports());
  return {
    recounts,
    lifecycle,
    minutely: [
      runDigests,
      () => recounts.tick(),
      async () => lifecycle.tick(),
      lookAtImports,
      updateBoards,
    ],
  };
}

/** Runs the jobs at their times. Returns a function that stops them. */
export function runJobs(
  { lifecycle, minutely }: Jobs,
  { hold }: Pick<App, 'hold'>,
  clock: DiscordClock,
): () => void {
  const whenConfirmed = (job: () => Promise<void>) => async (): Promise<void> => {
    // A closing, a post or a deletion at a wrong time cannot be undone.
    if (!clock.isConfirmed()) return;
    const work = job();
    hold(work);
    await work;
  };
  hold(clock.compare());
  const stops = [() => clock.compare(), ...minutely.map(whenConfirmed)].map((job) =>
    everyMinute(clock, job),
  );
  const checks = [
    setInterval(() => lifecycle.checkSuspects(), SUSPECTS_EVERY_MS),
    setInterval(() => lifecycle.checkRankings(), RANKINGS_EVERY_MS),
  ];
  return () => {
    checks.forEach(clearInterval);
    for (const stop of stops) stop();
  };
}
