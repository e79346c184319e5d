import { setTimeout as pause } from 'node:timers/promises';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { withLease } from '../../redis/lease.ts';
import { importKind, importVotesKind } from './run-import.ts';
import type { ImportNeeds, Imports } from './import-needs.ts';
import { openLinkCounts } from './link-counts.ts';
import { previewImport } from './preview-import.ts';
import {
  beginImport,
  isOver,
  mayUndo,
  readImport,
  readLost,
  readPhase,
  setPhase,
} from './stored-imports.ts';

/** An admin who begins an import waits for the end of the one before it for 2 s at most. */
const TRIES_TO_BEGIN = 10;
const BEGIN_AGAIN_MS = 200;

export function openImports(needs: ImportNeeds): Imports {
  const { store, clock, due, stopping } = needs;
  due.handle(importKind(needs));
  due.handle(importVotesKind(needs));
  const previews = new Map<string, AbortController>();

  /** Under a lease, or the plan of another admin who presses at the same moment is lost. */
  async function beginUnderLease(guild: Snowflake, begin: () => Promise<void>) {
    return withLease(needs, { guild, work: 'import' }, async () => {
      const before = await readImport(store, guild);
      if (before !== null && !isOver(before.phase)) return { status: 'held' as const };
      await begin();
      return { status: 'begun' as const };
    });
  }

  /** An import that is over holds the lease for a moment more, while it edits its report. */
  async function beginAtLast(guild: Snowflake, begin: () => Promise<void>) {
    for (let tries = 1; ; tries += 1) {
      const outcome = await beginUnderLease(guild, begin);
      if (outcome.status === 'begun' || tries === TRIES_TO_BEGIN) return outcome;
      const phase = await readPhase(store, guild);
      if (phase === null || !isOver(phase)) return outcome;
      await pause(BEGIN_AGAIN_MS, undefined, { signal: stopping });
    }
  }

  function endPreview(guild: Snowflake, member: Snowflake): void {
    previews.get(`${guild} ${member}`)?.abort();
  }

  return {
    counts: openLinkCounts(needs),
    isComplete: (guild) => needs.isComplete(guild),
    read: (guild) => readImport(store, guild),
    lost: (guild) => readLost(store, guild),
    endPreview,
    async preview(guild, { makePlan, member, onStep }) {
      endPreview(guild.id, member);
      const ending = new AbortController();
      const key = `${guild.id} ${member}`;
      previews.set(key, ending);
      const signal = AbortSignal.any([stopping, ending.signal]);
      try {
        const plan = await makePlan();
        signal.throwIfAborted();
        return await previewImport(needs, guild, plan, { signal, onStep });
      } catch (error) {
        if (signal.aborted) return null;
        throw error;
      } finally {
        if (previews.get(key) === ending) previews.delete(key);
      }
    },
    async begin(guild, { plan, by, channel }) {
      const outcome = await beginAtLast(guild.id, () =>
        beginImport(store, guild.id, { plan, by, channel, now: clock.now() }),
      );
      if (outcome.status === 'begun') await due.plan(guild.id, 'import', 0);
      return outcome;
    },
    async change(guild, change) {
      if (change === 'undo') {
        const state = await readImport(store, guild.id);
        if (state === null || !mayUndo(state, clock.now())) return { status: 'stale' };
      }
      const { from, to } = CHANGES[change];
      const outcome = await setPhase(store, guild.id, from, to);
      if (outcome.status === 'changed' && change !== 'pause') await due.plan(guild.id, 'import', 0);
      return outcome;
    },
  };
}

const CHANGES = {
  pause: { from: ['running'], to: 'paused' },
  resume: { from: ['paused'], to: 'running' },
  stop: { from: ['running', 'paused'], to: 'stopping' },
  undo: { from: ['finished', 'stopped'], to: 'undoing' },
} as const;
