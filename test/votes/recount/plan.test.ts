import { type APIMessage, MessageReferenceType } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { articleMessage } from '../../../src/articles/messages/article-message.ts';
import type { Article } from '../../../src/ranking/articles/articles.ts';
import { VOTING_OPEN_MS } from '../../../src/ranking/rules.ts';
import { snowflakeTimeMs } from '../../../src/runtime/snowflake.ts';
import { type Counted, planPage } from '../../../src/votes/recount/plan.ts';
import { difference } from '../../../src/votes/recount/repairs.ts';

const id = '1300000000000000000';
const postedAtMs = snowflakeTimeMs(id);
const article: Article = {
  id,
  title: 'A title',
  link: 'https://news.example/a',
  comment: '',
  poster: '11',
  home: '21',
  channel: '21',
  groups: ['21'],
  listed: true,
  up: 3,
  down: 1,
  interesting: false,
  closed: false,
  locked: false,
  postedAtMs,
  closesAtMs: postedAtMs + VOTING_OPEN_MS,
  score: 0,
};

const reaction = (name: string, count: number) => ({
  emoji: { id: null, name },
  count: count + 1,
  me: true,
  me_burst: false,
  count_details: { normal: count + 1, burst: 0 },
});

/** The message of an article whose reactions are these, beside the bot's own. */
function messageOf(shown: Article, up: number, down: number): APIMessage {
  return {
    id,
    channel_id: '21',
    content: articleMessage({ ...shown, beside: false }, 'en-US'),
    reactions: [reaction('👍', up), reaction('👎', down)],
  } as unknown as APIMessage;
}

/** The same as a reply to somebody else's message. */
const beside = (message: APIMessage): APIMessage => ({
  ...message,
  message_reference: { channel_id: '21', message_id: '31', type: MessageReferenceType.Default },
});
const only = (one: Article) => ({ article: one, both: 0, broken: false });

const usual: Counted = {
  id,
  message: messageOf(article, 2, 1),
  stored: { article, both: 0, broken: false },
  lastReading: { kind: 'compared', above: { up: 0, down: 0 } },
  hasChanged: false,
  isOwn: true,
  isArchived: false,
};
const context = { now: postedAtMs + 3_600_000, lagMs: 5000 };

function plan(known: Partial<Counted> = {}, more: Partial<typeof context> & object = {}) {
  const [step] = planPage([{ ...usual, ...known } as Counted], { ...context, ...more });
  return step;
}

describe('the plan of a page of counts', () => {
  test('the plan reads no lists where the counts are those of the votes', () => {
    expect(plan()).toMatchObject({ kind: 'compare', lists: 'no', isNewer: false });
  });

  test.each<[string, Partial<Counted>, object?]>([
    ['a vote is missing', { message: messageOf(article, 3, 1) }],
    ['a vote is too many', { message: messageOf(article, 2, 0) }],
    ['the voters and the row do not fit', { stored: { article, both: 0, broken: true } }],
    ['an event was missed', { lastReading: { kind: 'missed event' } }],
    ['new votes wait', { lastReading: { kind: 'waiting' } }],
    ['a member is undecided', { lastReading: { kind: 'undecided' } }],
    [
      'one who did not count is gone',
      { lastReading: { kind: 'compared', above: { up: 1, down: 0 } } },
    ],
    ['an older reaction is not shown', { stored: { article, both: 1, broken: false } }],
  ])('the plan reads lists at once where %s', (_, known) => {
    expect(plan(known)).toMatchObject({ kind: 'compare', lists: 'now' });
  });

  test.each<[string, Partial<Counted>, object?]>([
    ['somebody reacted since the counts were requested', { hasChanged: true }],
    ['all lists are read', {}, { full: true }],
    ['a gap can hide a switch', {}, { afterGap: true }],
    [
      'a member shows both reactions',
      { message: messageOf(article, 3, 1), stored: { article, both: 1, broken: false } },
    ],
    [
      'a gap can hide a 👍 under the message in which it was found',
      {
        message: beside(messageOf({ ...article, down: 0 }, 2, 0)),
        stored: only({ ...article, down: 0 }),
      },
      { afterGap: true },
    ],
    ['the message may be newer', { message: messageOf({ ...article, title: 'Another' }, 2, 1) }],
  ])('the plan reads lists after those of changed articles where %s', (_, known, more) => {
    expect(plan(known, more)).toMatchObject({ kind: 'compare', lists: 'later' });
  });

  test('the plan reads no lists after a gap where nobody shows one of the two reactions', () => {
    const known = { ...article, down: 0 };
    const counted = {
      message: messageOf(known, 2, 0),
      stored: { article: known, both: 0, broken: false },
    };
    expect(plan(counted, { afterGap: true } as object)).toMatchObject({ lists: 'no' });
  });

  test('the plan deletes an article without a message, once an answer cannot be older than the message', () => {
    expect(plan({ message: null })).toMatchObject({ kind: 'delete', article });
    expect(plan({ message: null }, { now: postedAtMs + 4000 })).toMatchObject({ kind: 'wait' });
  });

  test('the plan leaves a closed article, one that Redis does not have, and one that could not be read', () => {
    const closed = { stored: { article: { ...article, closed: true }, both: 0, broken: false } };
    expect(plan({ ...closed, message: null })).toMatchObject({ kind: 'nothing' });
    expect(plan({ stored: null })).toMatchObject({ kind: 'nothing' });
    const error = new Error('503');
    expect(plan({ message: undefined, error })).toEqual({
      id,
      kind: 'report unread',
      error,
    });
  });

  test('the plan takes an article in anew whose message is another one, and touches nobody else’s message', () => {
    const other = messageOf({ ...article, link: 'https://news.example/b' }, 2, 1);
    expect(plan({ message: other })).toMatchObject({ kind: 'take in anew' });
    expect(plan({ isOwn: false })).toMatchObject({ kind: 'report hidden' });
  });

  test('the plan looks whether a tombstone is newer than its article', () => {
    const message = { ...messageOf(article, 2, 1), content: '-# Removed by a moderator.' };
    expect(plan({ message })).toMatchObject({ kind: 'compare', isNewer: true });
  });

  test('the plan writes another form anew, unless the thread is archived or the voting is over', () => {
    const message = messageOf({ ...article, interesting: true }, 2, 1);
    expect(plan({ message })).toMatchObject({ isFormOther: true, isNewer: false });
    expect(plan({ message, isArchived: true })).toMatchObject({ isFormOther: false });
    expect(plan({ message }, { now: article.closesAtMs })).toMatchObject({ isFormOther: false });
  });
});

describe('the difference between lists of reactions and votes', () => {
  const up = { vote: 'up', older: false } as const;
  const down = { vote: 'down', older: false } as const;

  test.each([
    ['nothing where both agree', ['a'], [], { a: up }, null, []],
    ['a vote that was missed', ['a'], [], {}, null, [['up', false]]],
    ['a vote that was taken back', [], [], { a: up }, null, [['none', false]]],
    ['a switch', [], ['a'], { a: up }, null, [['down', false]]],
    [
      'the one that Redis did not know as the newer of two',
      ['a'],
      ['a'],
      { a: up },
      null,
      [['down', true]],
    ],
    [
      'the one that was added last as the newer of two',
      ['a'],
      ['a'],
      { a: up },
      'up',
      [['up', true]],
    ],
    ['no vote in two reactions of which it knew none', ['a'], ['a'], {}, null, []],
    [
      'an older reaction that is gone',
      [],
      ['a'],
      { a: { ...down, older: true } },
      null,
      [['down', false]],
    ],
  ] as const)('the difference is %s', (_, ups, downs, known, lastAdded, wanted) => {
    const reactors = { up: new Set<string>(ups), down: new Set<string>(downs) };
    const found = difference(reactors, new Map(Object.entries(known)), () => lastAdded);
    expect(found.map(({ vote, older }) => [vote, older])).toEqual(wanted);
  });
});
