import { EventEmitter } from 'node:events';
import { Events, MessageType } from 'discord.js';
import { expect, test } from 'vitest';
import { followDiscussions } from '../../src/articles/messages/discussion.ts';
import { followFirstWords } from '../../src/articles/messages/first-word.ts';
import { followPreviews } from '../../src/articles/messages/preview.ts';
import { followPastedLinks } from '../../src/articles/posting/pasted-links.ts';
import { createLog } from '../../src/runtime/log.ts';
import { snowflakeAt } from '../../src/runtime/snowflake.ts';
import { NOON } from '../fixtures/test-clock.ts';

const [self, member, guild, channel] = ['1', '2', '3', '4'];
const id = snowflakeAt(NOON);
const place = { guild_id: guild, channel_id: channel };
const embeds = [{ url: 'https://found.example/' }];
const author = { id: member };
const said = {
  id,
  author: { id: member, bot: false },
  system: false,
  embeds: [],
  content: 'https://pasted.example/',
  channel: { id: channel, guild: { id: guild } },
  inGuild: () => true,
};

type Told = [event: string, packet: object];
const written: Told = [Events.MessageCreate, said];
const answered = { id, author: { id: self } };

test.each<[string, (needs: never) => void, Told, Told?]>([
  ['a pasted link', followPastedLinks, written],
  [
    'an edit of a link',
    followPastedLinks,
    ['MESSAGE_UPDATE', { ...place, id, author, content: 'Words', edited_timestamp: 'now' }],
  ],
  ['a deletion', followPastedLinks, ['MESSAGE_DELETE', { ...place, id }], written],
  [
    'a deletion in bulk',
    followPastedLinks,
    ['MESSAGE_DELETE_BULK', { ...place, ids: [id] }],
    written,
  ],
  ['a comment', followDiscussions, ['MESSAGE_CREATE', place]],
  [
    'a reply to an article',
    followFirstWords,
    [
      'MESSAGE_CREATE',
      { ...place, id, author, type: MessageType.Reply, referenced_message: answered },
    ],
  ],
  [
    'a new thread',
    followFirstWords,
    ['THREAD_CREATE', { id, guild_id: guild, parent_id: channel, newly_created: true }],
  ],
  [
    'what Discord found at a link',
    followPreviews,
    ['MESSAGE_UPDATE', { ...place, id, author: { id: self }, embeds }],
  ],
])('a bot that stops begins nothing any more with %s', (_, follow, told, before) => {
  const thread = { isTextBased: () => true, isDMBased: () => false, isThread: () => true };
  const begun = (isStopping: boolean): number => {
    const stop = new AbortController();
    const held: Promise<unknown>[] = [];
    const ws = new EventEmitter();
    const client = Object.assign(new EventEmitter(), {
      ws,
      channels: { cache: new Map([[channel, { ...thread, ...said.channel }]]) },
      guilds: { cache: new Map() },
    });
    const tell = ([event, packet]: Told): number => {
      const count = held.length;
      (event === written[0] ? client : ws).emit(event, packet, 0);
      return held.length - count;
    };
    const hold = (work: Promise<unknown>) => {
      held.push(work.catch(() => {}));
    };
    // Where the work would go on, nothing is there, and it ends.
    const clock = { now: () => NOON };
    const log = createLog('silent');
    follow({ client, self, stopping: stop.signal, log, clock, hold } as never);
    if (before) tell(before);
    if (isStopping) stop.abort();
    const count = tell(told);
    stop.abort();
    return count;
  };
  expect([begun(false), begun(true)]).toEqual([1, 0]);
});
