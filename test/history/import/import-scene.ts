import { DAY_MS } from '../../../src/runtime/clock.ts';
import { addReaction } from '../../../discord-box/src/world/messages/reactions.ts';
import type { Answer } from '../../../discord-box/src/index.ts';
import { createMessage } from '../../../discord-box/src/world/messages/change-message.ts';
import { postArticle } from '../../../src/ranking/articles/articles.ts';
import type { Phase } from '../../../src/history/import/stored-imports.ts';
import { parseLink } from '../../../src/ranking/links/parse.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

type PastMessage = {
  content: string;
  /** 30 unless said. */
  daysAgo?: number;
  by?: string;
  up?: readonly string[];
  down?: readonly string[];
  embeds?: Record<string, unknown>[];
};

/** A scene whose channels have a past, and an admin who imports it. */
export type ImportScene = Scene & {
  /** A message of the past; the bot is not told. Returns its id. */
  say(channel: string, said: PastMessage): string;
  /** An article that was posted in the past. */
  posted(channel: string, link: string, daysAgo: number): Promise<string>;
  /** What the admin reads now in an answer. */
  shown(answer: Answer): { content: string; buttons: string[] };
  /** `/frontpage import`, which asks before it begins. */
  ask(channel: string, values?: Record<string, string>): Promise<Answer>;
  /** The same of all channels that everyone may view. */
  askAll(): Promise<Answer>;
  press(answer: Answer, button: string): Promise<Answer>;
  /** What the message of the progress or the report in the channel says now, and its buttons. */
  told(): { content: string; buttons: string[]; id: string; list: string };
  /** Presses a button of the message in the channel, as the admin. */
  control(button: 'pause' | 'resume' | 'stop' | 'undo'): Promise<Answer>;
  /** The message that offers lost imports. */
  offer(): { id: string; content: string } | undefined;
  /** Begins an import, and waits for its report. */
  importAll(channel: string, values?: Record<string, string>): Promise<string>;
  /** Resolves when the import is in this phase. */
  phase(phase: Phase): Promise<void>;
  /** Runs the import's minutes until it has finished. */
  finish(): Promise<void>;
  /** The number of articles whose lists of who reacted are not read yet. */
  waiting(): Promise<number>;
  /** Resolves when all lists of who reacted are read. */
  counted(): Promise<void>;
};

export async function startImportScene(rateLimits = false): Promise<ImportScene> {
  const scene = await startScene({
    rateLimits,
    privileged: { messageContent: true, guildMembers: false, presences: false },
  });
  const { sandbox } = scene;
  const { world } = sandbox;
  const asked = sandbox.channels.general.id;

  const history: ImportScene = Object.assign(scene, {
    say(channelId: string, said: PastMessage): string {
      const { content, daysAgo = 30, by = sandbox.members[0] ?? '', embeds = [] } = said;
      const channel = world.channels.get(channelId);
      if (!channel) throw new Error('There is no such channel.');
      const id = world.snowflake(Math.floor(scene.clock.now() - daysAgo * DAY_MS));
      sandbox.gateway.events.set({ drop: 1, only: /^MESSAGE_REACTION_/ });
      const message = createMessage(world, channel, { id, authorId: by, content, embeds });
      for (const [name, members] of [
        ['👍', said.up],
        ['👎', said.down],
      ] as const) {
        for (const member of members ?? []) {
          addReaction(world, channel, message, member, { id: null, name }, false);
        }
      }
      sandbox.gateway.events.set(undefined);
      return id;
    },
    async posted(home: string, link: string, daysAgo: number): Promise<string> {
      const id = world.snowflake(Math.floor(scene.clock.now() - daysAgo * DAY_MS));
      const parsed = parseLink(link);
      if (parsed.status === 'refused') throw new Error('That is no link.');
      await postArticle(scene.bot.ranking, {
        guild: sandbox.guildId,
        id,
        title: 'Posted',
        link: parsed.href,
        linkName: parsed.canonical,
        poster: sandbox.admin,
        home,
        listed: true,
        tally: { up: 1, down: 0, closed: daysAgo > 7 },
      });
      return id;
    },
    shown({ message }: Answer) {
      const found = world.channels.get(asked)?.messages.get(message?.id ?? '');
      const rows = (found?.components ?? []) as { components: { custom_id: string }[] }[];
      const ids = rows.flatMap(({ components }) => components.map((one) => one.custom_id));
      return { content: found?.content ?? '', buttons: ids };
    },
    ask(channel: string, values: Record<string, string> = {}) {
      // Older than all that is said here.
      const options = { channel, after: '3y', ...values };
      return sandbox.as(sandbox.admin).command(asked, 'frontpage import', options);
    },
    askAll() {
      return sandbox.as(sandbox.admin).command(asked, 'frontpage import', { after: '365d' });
    },
    async press(answer: Answer, button: string) {
      const id = history.shown(answer).buttons.find((one) => one.split('|').includes(button));
      if (!id) throw new Error(`There is no button ${button}: ${history.shown(answer).content}`);
      return sandbox.as(sandbox.admin).press(asked, answer.message?.id ?? '', id);
    },
    told() {
      const { botId } = world.application;
      const all = [...(world.channels.get(asked)?.messages.values() ?? [])];
      const found = all.findLast(
        ({ authorId, onlyFor, content }) =>
          authorId === botId && onlyFor === null && / – <t:\d+:d>$|undone/.test(content),
      );
      const rows = (found?.components ?? []) as { components: { custom_id: string }[] }[];
      const [embed] = (found?.embeds ?? []) as { description?: string }[];
      return {
        content: found?.content ?? '',
        buttons: rows.flatMap(({ components }) => components.map((one) => one.custom_id)),
        id: found?.id ?? '',
        list: embed?.description ?? '',
      };
    },
    offer() {
      const all = [...(world.channels.get(asked)?.messages.values() ?? [])];
      return all.findLast(({ content }) => content.startsWith('Frontpage lost its data'));
    },
    control(name: 'pause' | 'resume' | 'stop' | 'undo') {
      return sandbox.as(sandbox.admin).press(asked, history.told().id, `frontpage|import|${name}`);
    },
    async importAll(channel: string, values: Record<string, string> = {}) {
      const before = history.told().id;
      await history.press(await history.ask(channel, values), 'begin');
      await scene.eventually(
        () => history.told(),
        ({ id, buttons }) => id !== before && buttons.includes('frontpage|import|undo'),
        'the report',
      );
      await history.phase('finished');
      return history.told().content;
    },
    async phase(phase: Phase) {
      const state = () => scene.bot.imports.read(sandbox.guildId);
      await scene.eventually(state, (found) => found?.phase === phase, phase);
    },
    async finish() {
      const state = async () => {
        await scene.bot.due.arrive(sandbox.guildId);
        return scene.bot.imports.read(sandbox.guildId);
      };
      await scene.eventually(state, (found) => found?.phase === 'finished', 'finished');
    },
    waiting() {
      const { redis, applicationId } = scene.bot.store;
      return redis.zcard(`frontpage:${applicationId}:{${sandbox.guildId}}:import-votes`);
    },
    async counted() {
      await scene.eventually(
        () => history.waiting(),
        (count) => count === 0,
        'counted',
      );
    },
  });
  return history;
}
