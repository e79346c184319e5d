import type { APIMessage } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { endLines, readReport } from '../../../src/history/import/import-report.ts';
import { notTakenIn } from '../../../src/history/import/link-count-texts.ts';
import {
  CHANNELS_AT_MOST,
  FATES,
  type ImportState,
  isOver,
  isUnderWay,
  mayUndo,
  type Phase,
  PHASES,
} from '../../../src/history/import/stored-imports.ts';
import { channelOfUnread, groupOfUnread, unreadText } from '../../../src/history/walk/channels.ts';
import { DAY_MS } from '../../../src/runtime/clock.ts';
import { translate } from '../../../src/text/catalogue.ts';

const rust = '100000000000000001';
const ai = '100000000000000002';
const thread = '100000000000000003';

function stateIn(phase: Phase, more: Partial<ImportState> = {}): ImportState {
  const counts = Object.fromEntries(FATES.map((fate) => [fate, 0])) as ImportState['counts'];
  return {
    plan: { channels: [rust], fromMs: 0, untilMs: DAY_MS },
    counts: { ...counts, messages: 0, further: 0 },
    unread: [],
    by: '1',
    report: { channel: rust, message: null },
    begunAtMs: 0,
    endedAtMs: 0,
    failingSinceMs: null,
    expected: null,
    phase,
    cursors: new Map(),
    ...more,
  };
}

describe('what a report says', () => {
  const of = { articles: 3, votes: 0 };

  test.each([
    ['finished', 'import.finished'],
    ['stopped', 'import.stopped'],
    // Somebody ended it, which is not written down yet.
    ['stopping', 'import.stopped'],
    ['paused', 'import.stopped'],
    ['undoing', 'import.undoing'],
    ['undone', 'import.undone'],
  ] as const)('a report of an import that is %s says so first', (phase, key) => {
    const said = { messages: 8, articles: 3 };
    const counts = { ...stateIn(phase).counts, messages: 8, linked: 3 };
    expect(endLines('de', stateIn(phase, { counts }), of)).toEqual([translate('de', key, said)]);
  });

  test('a report names each reason for which something was left out, what is still checked, and what could not be read', () => {
    const counts = Object.fromEntries(FATES.map((fate, n) => [fate, n + 1]));
    const all = { ...counts, linked: 7, messages: 60, further: 2 } as ImportState['counts'];
    const unread = [ai, `${rust}/${thread}`, `${rust}/threads`];
    const state = stateIn('finished', { counts: all, unread });
    expect(endLines('en', state, { articles: 3, votes: 5 }).slice(1)).toEqual([
      translate('en', 'import.skipped'),
      `- ${translate('en', 'import.again', { count: 4 })}`,
      ...FATES.slice(1).map(
        (fate, n) => `- ${translate('en', `import.fate.${fate as 'known'}`, { count: n + 2 })}`,
      ),
      translate('en', 'import.further', { count: 2 }),
      translate('en', 'import.votes', { count: 5 }),
      translate('en', 'import.unread', {
        channels: `<#${ai}>, <#${thread}>, threads of <#${rust}>`,
      }),
    ]);
  });

  test('a report of an import that was undone says nothing else any more', () => {
    const counts = { ...stateIn('undone').counts, bot: 1, further: 1 };
    for (const phase of ['undone', 'undoing'] as const) {
      const state = stateIn(phase, { counts, unread: [ai] });
      expect(endLines('en', state, { articles: 0, votes: 1 })).toHaveLength(1);
      expect(
        endLines('en', { ...state, phase: 'finished' }, { articles: 0, votes: 1 }),
      ).toHaveLength(6);
    }
  });

  test('a report names twenty channels that could not be read at most', () => {
    const many = Array.from({ length: 25 }, (_, n) => `${n}`);
    expect(unreadText('en', many).split(', ')).toHaveLength(20);
  });
});

test('what could not be read is asked for again where Discord refused it, by its channel or its thread', () => {
  for (const [unread, channel, group] of [
    [rust, rust, rust],
    [`${rust}/${thread}`, thread, rust],
    // The list is the channel's.
    [`${rust}/threads`, rust, rust],
  ] as const) {
    expect([channelOfUnread(unread), groupOfUnread(unread)]).toEqual([channel, group]);
  }
});

/** The last line of a report. */
const lineOf = (channels: readonly string[]) =>
  `-# ${channels.map((id) => `<#${id}>`).join(' ')} · <t:100:d> – <t:200:d>`;
/** What is read from a message with this last line and one button. */
const report = (last: string, button = 'frontpage|import|undo') =>
  readReport({
    channel_id: ai,
    content: `Done.\n${last}`,
    components: [{ type: 1, components: [{ type: 2, custom_id: button }] }],
  } as unknown as APIMessage);

describe('a report that outlives Redis', () => {
  test('a report that outlives Redis says which channels and days were asked for', () => {
    const lost = { channels: [rust, ai], fromMs: 100_000, untilMs: 200_000, report: ai };
    for (const button of ['pause', 'resume', 'undo']) {
      expect(report(lineOf([rust, ai]), `frontpage|import|${button}`)).toEqual(lost);
    }
  });

  test('a message is none without the buttons of an import, with other last words, or with more channels than an import takes', () => {
    expect(report(lineOf([rust]), 'frontpage|import|start')).toBeNull();
    expect(report(`${lineOf([rust])}\nMore.`)).toBeNull();
    const many = Array.from({ length: CHANNELS_AT_MOST + 1 }, (_, n) => `${1e9 + n}`);
    expect(report(lineOf(many.slice(1)))).not.toBeNull();
    expect(report(lineOf(many))).toBeNull();
  });
});

const undoable = (now: number) => PHASES.filter((phase) => mayUndo(stateIn(phase), now));

test('an import is under way, over and can be undone in the phases that say so', () => {
  expect(PHASES.filter(isUnderWay)).toEqual(['running', 'stopping', 'undoing']);
  expect(PHASES.filter(isOver)).toEqual(['finished', 'stopped', 'undone']);
  expect(undoable(DAY_MS - 1)).toEqual(['finished', 'stopped']);
  expect(undoable(DAY_MS)).toEqual([]);
});

test('a welcome names no channel whose links an import takes in or has taken in, and names it again once it is undone', () => {
  const counts = {
    channels: [rust, ai].map((id) => ({ id, links: 9, ofBots: 0, isListed: true })),
    uncounted: [rust],
  };
  const named = (phase: Phase) =>
    notTakenIn(counts, stateIn(phase))?.channels.map(({ id }) => id === rust);
  const naming = PHASES.filter((phase) => named(phase)?.includes(true) === true);
  expect(naming).toEqual(['stopping', 'undoing', 'stopped', 'undone']);
  expect(named('finished')).toEqual([false]);
  expect(notTakenIn(counts, null)).toEqual(counts);
  expect(notTakenIn(null, stateIn('finished'))).toBeNull();
});
