import { DAY_MS } from '../../../src/runtime/clock.ts';
import { addReaction, type Answer, createMessage } from '../../../discord-box/src/index.ts';
import { postArticle } from '../../../src/ranking/articles/articles.ts';
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
  press(answer: Answer, button: string): Promise<Answer>;
  /** The whole of it: the question, go, and the report. */
  importAll(channel: string): Promise<string>;
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
      await postArticle(scene.bot.app.ranking, {
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
      const options = { channel, ...values };
      return sandbox.as(sandbox.admin).command(asked, 'frontpage import', options);
    },
    async press(answer: Answer, button: string) {
      const id = history.shown(answer).buttons.find((one) => one.split('|').includes(button));
      if (!id) throw new Error(`There is no button ${button}: ${history.shown(answer).content}`);
      return sandbox.as(sandbox.admin).press(asked, answer.message?.id ?? '', id);
    },
    async importAll(channel: string) {
      const answer = await history.ask(channel);
      await history.press(answer, 'go');
      return scene.eventually(
        () => history.shown(answer).content,
        (content) => /is imported: (?![^]*Import the history)/.test(content),
        'the report',
      );
    },
  });
  return history;
}
