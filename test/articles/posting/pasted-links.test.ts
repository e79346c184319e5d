import type { GuildTextBasedChannel } from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createMessage,
  editMessage,
} from '../../../discord-box/src/world/messages/change-message.ts';
import type { Json } from '../../../discord-box/src/index.ts';
import { readArticleMessage } from '../../../src/articles/messages/article-message.ts';
import { cleanTitle, titleOfLink } from '../../../src/text/clean.ts';
import { missingPermissions } from '../../../src/discord/access/permissions.ts';
import { MINUTE_MS } from '../../../src/runtime/clock.ts';
import { readRefusal } from '../../../src/discord/requests/refused-channels.ts';
import { siteSubject, wordsSubject } from '../../../src/community/block-subject.ts';
import { deleteBlock, writeBlock, zBlock } from '../../../src/community/blocks.ts';
import { writeSetting } from '../../../src/community/settings.ts';
import { deleteArticle, postArticle } from '../../../src/ranking/articles/articles.ts';
import { readPreviews } from '../../../src/ranking/articles/previews.ts';
import { hostileTitles } from '../../threats/hostile-texts.ts';
import { faultsOf } from '../../threats/message-faults.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
let grace: string;
let general: string;
let rust: string;

beforeAll(async () => {
  scene = await startScene({
    privileged: { messageContent: true, guildMembers: false, presences: false },
  });
  const { sandbox } = scene;
  grace = sandbox.members[0] ?? '';
  general = sandbox.channels.general.id;
  rust = sandbox.channels.rust.id;
  const { store, rules } = scene.bot;
  await writeSetting(store, sandbox.guildId, 'link-channels', [general]);
  await rules.refresh(sandbox.guildId);
});
afterAll(() => scene.stop());

function answersTo(channel: string, id: string) {
  return scene.sandbox
    .as(grace)
    .messages(channel)
    .filter((message) => message.message_reference?.message_id === id);
}
const answerTo = (id: string, nth = 0) =>
  scene.sandbox.until(() => answersTo(general, id)[nth], 'an answer to a pasted link');

/** Discord's update of a message, with what it found at its links. */
function unfurl(id: string, embeds: Json[], place = general): void {
  const { world } = scene.sandbox;
  const channel = world.channels.get(place)!;
  editMessage(world, channel, channel.messages.get(id)!, { embeds, silent: true });
}
/** The gateway tells in order: what was sent before has been heard when this resolves. */
async function heard(): Promise<void> {
  const { client } = scene.bot;
  const last = scene.sandbox.as(grace).send(rust, 'That is all.').id;
  await new Promise<void>((resolve) => {
    const hear = (message: { id: string }) => {
      if (message.id !== last) return;
      client.off('messageCreate', hear);
      setImmediate(resolve);
    };
    client.on('messageCreate', hear);
  });
}
function said(link: string): string {
  return scene.sandbox.as(grace).send(general, `See ${link} please`).id;
}
async function called(link: string, title: string): Promise<string> {
  const shown = await scene.sandbox.until(
    () =>
      scene.sandbox
        .as(grace)
        .messages(general, 200)
        .find((message) => {
          if (message.author.bot !== true || !message.content.includes(link)) return false;
          const carried = readArticleMessage(message);
          return carried?.link === link && carried.title === title;
        }),
    `an article called ${title}`,
  );
  const article = await scene.eventually(() => scene.article(shown.id), Boolean, 'committed');
  expect(article?.title).toBe(title);
  return shown.id;
}

test('Discord’s notice of a new thread is not taken for its member’s link', async () => {
  const link = 'https://threads.example/name';
  scene.sandbox.as(grace).startThread(general, link);
  await answerTo(said('https://threads.example/other'));
  const notice = scene.sandbox
    .as(grace)
    .messages(general)
    .find(({ content }) => content === link);
  expect(notice).toBeDefined();
  await heard();
  const asked = scene.sandbox.requests.count('POST', /messages/);
  expect(asked).toBe(1);
  expect(answersTo(general, notice?.id ?? '')).toEqual([]);
});

describe('a link that somebody writes', () => {
  test('a link that somebody writes in a link channel is answered by its article, and pings nobody', async () => {
    const said = scene.sandbox.as(grace).send(general, 'Look: https://news.example/pasted!');
    const answer = await answerTo(said.id);
    // The member's message shows the preview.
    expect(answer.content.split('\n').slice(0, 2)).toEqual([
      '**news.example/pasted**',
      '<https://news.example/pasted>',
    ]);
    expect(answer.mentions).toEqual([]);
    const article = await scene.eventually(
      () => scene.article(answer.id),
      (found) => found !== null,
      'committed',
    );
    expect(article).toMatchObject({ poster: grace, home: general, channel: general });
  });

  test('each link of a message is answered by an article of its own, one page once', async () => {
    const [one, two] = ['https://news.example/one-of-two', 'https://news.example/two-of-two'];
    const said = scene.sandbox
      .as(grace)
      .send(general, `${one} and ${two}, again ${one}?utm_source=x`);
    const answers = await scene.eventually(
      () => answersTo(general, said.id),
      (found) => found.length >= 2,
      'answered',
    );
    unfurl(said.id, [{ url: two, title: 'Two' }]);
    await called(two, 'Two');
    await heard();
    const shown = answersTo(general, said.id).map((message) => readArticleMessage(message)?.link);
    expect(shown).toEqual([one, two]);
    expect(answers).toHaveLength(2);
  });

  test('a message with many links has an article for each of the five that Discord shows a preview of', async () => {
    const links = Array.from({ length: 6 }, (_, n) => `https://many.example/${n}`);
    const message = said(links.join(' '));
    await called(links[4]!, 'many.example/4');
    await answerTo(said('https://many.example/after-it'));
    const shown = answersTo(general, message).map((one) => readArticleMessage(one)?.link);
    expect(shown).toEqual(links.slice(0, 5));
  });

  test('a link that is refused hinders none of the others in its message', async () => {
    const { store, rules } = scene.bot;
    const { guildId } = scene.sandbox;
    const subject = siteSubject('blocked.example')!;
    await writeBlock(store, guildId, { subject, ...zBlock.parse({ by: scene.sandbox.admin }) });
    await rules.refresh(guildId, { block: subject });
    const [first, later] = ['https://news.example/before-it', 'https://news.example/after-it'];
    const message = said(`${first} https://blocked.example/page ${later}`);
    await called(later, 'news.example/after-it');
    unfurl(message, [
      { url: first, title: 'Before it' },
      { url: later, title: 'After it' },
    ]);
    await called(first, 'Before it');
    await called(later, 'After it');
    expect(answersTo(general, message)).toHaveLength(2);
    // A preview is no edit: what was refused is not tried again once it would be accepted.
    await deleteBlock(store, guildId, subject);
    await rules.refresh(guildId, { block: subject });
    unfurl(message, [{ url: 'https://blocked.example/page', title: 'No more' }]);
    await heard();
    await scene.settled();
    await answerTo(said('https://news.example/after-the-preview'));
    expect(answersTo(general, message)).toHaveLength(2);
  });

  test('the first reply to a member’s own message begins the thread of its link, and is led there', async () => {
    const message = said('https://news.example/replied-to');
    const { id } = await answerTo(message);
    await scene.eventually(() => scene.article(id), Boolean, 'committed');
    const [, other = ''] = scene.sandbox.members;
    const reply = scene.sandbox.as(other).send(general, 'I read this one.', message);
    const thread = await scene.sandbox.until(
      () => scene.sandbox.world.channels.get(id),
      'a thread',
    );
    await expect
      .poll(() => [...thread.thread!.memberIds])
      .toEqual(expect.arrayContaining([grace, other]));
    const led = scene.sandbox.as(other).messages(id).at(-1);
    expect(led?.content).toContain(`/${general}/${reply.id})`);
  });

  test('a reply to a member’s own message that comes before its article begins the thread all the same', async () => {
    const { faults, members, world } = scene.sandbox;
    const post = faults.hold({ method: 'POST', route: /\/messages$/ });
    const message = said('https://news.example/replied-at-once');
    await scene.eventually(() => post.isHeld(), Boolean, 'being posted');
    scene.sandbox.as(members[1]!).send(general, 'I know it.', message);
    await heard();
    post.letGo();
    const { id } = await answerTo(message, 1);
    const thread = await scene.sandbox.until(() => world.channels.get(id), 'a thread');
    expect(thread.parentId).toBe(general);
  });

  test('a link that somebody writes under words of their own is called by them, whatever Discord finds', async () => {
    const link = 'https://news.example/worded';
    const message = said(`[**A good** title](${link})`);
    const id = await called(link, 'A good title');
    unfurl(message, [{ url: link, title: 'Found' }]);
    await heard();
    expect((await scene.article(id))?.title).toBe('A good title');
  });

  describe('is called', () => {
    test('as Discord finds a moment later, whichever of them comes first', async () => {
      const link = 'https://news.example/found';
      const message = said(link);
      // At once: the article is not posted yet.
      unfurl(message, [{ url: link, title: 'Found at once' }]);
      await called(link, 'Found at once');
      const later = 'https://news.example/later';
      const slow = said(`${later}?utm_source=feed`);
      const id = await called(`${later}?utm_source=feed`, 'news.example/later');
      unfurl(slow, [
        { url: 'https://other.example/', title: 'Another link' },
        { url: later, title: 'Found **later**\u202e' },
      ]);
      expect(await called(`${later}?utm_source=feed`, 'Found **later**')).toBe(id);
    });

    test('a link that somebody writes is called by host and path where Discord finds nothing that can be seen', async () => {
      const link = 'https://news.example/blank';
      const message = said(link);
      const id = await called(link, 'news.example/blank');
      unfurl(message, [{ url: link }]);
      unfurl(message, [{ url: link, title: '\u3164\u200b' }]);
      unfurl(message, [{ url: 'https://other.example/', title: 'Other' }]);
      unfurl(message, [{ url: link, title: 'In the end' }]);
      expect(await called(link, 'In the end')).toBe(id);
    });

    test('as before where it is a member’s own message that an import made an article of, whatever Discord finds', async () => {
      const { guildId: guild } = scene.sandbox;
      const { ranking } = scene.bot;
      const link = 'https://own.example/message';
      const { id } = scene.sandbox.as(grace).send(rust, link);
      const title = 'own.example/message';
      const article = { guild, id, title, link, linkName: link, poster: grace, home: rust };
      await postArticle(ranking, { ...article, listed: true });
      unfurl(id, [{ url: link, title: 'Found', description: 'Words' }], rust);
      const later = 'https://news.example/found-after-it';
      const message = said(later);
      unfurl(message, [{ url: later, title: 'After it' }]);
      await called(later, 'After it');
      const [preview] = await readPreviews(ranking, guild, [id]);
      expect([(await scene.article(id))?.title, preview]).toEqual([title, {}]);
      await deleteArticle(ranking, guild, id);
    });

    test('as its poster says, who was faster', async () => {
      const link = 'https://news.example/mine';
      const message = said(link);
      const article = await called(link, 'news.example/mine');
      const as = scene.sandbox.as(grace);
      await as.command(general, 'me retitle', { article, title: 'My own' });
      await called(link, 'My own');
      unfurl(message, [{ url: link, title: 'Theirs' }]);
      const next = said('https://news.example/next');
      unfurl(next, [{ url: 'https://news.example/next', title: 'Next' }]);
      await called('https://news.example/next', 'Next');
      expect((await scene.article(article))?.title).toBe('My own');
    });

    test('a link that somebody writes is called without harm by a site that says anything', async () => {
      for (const [name, title] of Object.entries(hostileTitles)) {
        const link = `https://evil.example/${encodeURIComponent(name)}`;
        unfurl(said(link), [{ url: link, title: title.slice(0, 4000) }]);
        const id = await called(link, cleanTitle(title) || titleOfLink(link));
        const all = scene.sandbox.as(grace).messages(general, 200);
        expect(faultsOf(all.find((one) => one.id === id))).toEqual([]);
      }
    });
  });

  test('a second time is answered with where it is', async () => {
    const first = scene.sandbox.as(grace).send(general, 'https://news.example/twice');
    const article = await answerTo(first.id);
    await scene.eventually(
      () => scene.article(article.id),
      (found) => found !== null,
      'committed',
    );
    const [, repeater = '', reader = ''] = scene.sandbox.members;
    const second = scene.sandbox.as(repeater).send(general, 'https://www.news.example/twice/');
    const { content } = await answerTo(second.id);
    expect(content).toContain(article.id);
    expect(content).toContain('**news.example/twice**\n<https://news.example/twice>');
    // Who answers that member does not answer the article.
    scene.sandbox.as(reader).send(general, 'You are late.', second.id);
    // Nor does who answers its poster elsewhere.
    const aside = scene.sandbox.as(grace).startThread(general, 'Aside').id;
    const again = scene.sandbox.as(grace).send(aside, 'https://news.example/twice');
    scene.sandbox.as(reader).send(aside, 'Again?', again.id);
    const reply = scene.sandbox.as(reader).send(general, 'Thank you.', first.id);
    const begun = () => scene.sandbox.as(grace).messages(article.id).at(-1)?.content;
    await scene.sandbox.until(
      () => scene.sandbox.world.channels.has(article.id) || undefined,
      'a thread',
    );
    await expect.poll(begun).toContain(`/${reply.id})`);
  });

  test('a link that somebody writes in a forwarded message is found', async () => {
    const member = scene.sandbox.as(grace);
    const first = member.send(rust, 'Look: https://news.example/forwarded');
    const forward = member.forward(general, rust, first.id);
    expect(forward.content).toBe('');
    const { content } = await answerTo(forward.id);
    expect(content).toContain('<https://news.example/forwarded>');
  });

  test('a link that somebody writes beside no link is left alone', async () => {
    const without = scene.sandbox.as(grace).send(general, 'Nothing here.');
    const last = scene.sandbox.as(grace).send(general, 'https://news.example/last');
    await answerTo(last.id);
    expect(answersTo(general, without.id)).toEqual([]);
  });

  test('a link that somebody writes in a private thread of a link channel stays there', async () => {
    const { sandbox } = scene;
    sandbox.operator.setPermissions({ channel: general, who: 'bot', allow: ['ManageThreads'] });
    const member = sandbox.as(sandbox.admin);
    const thread = member.startThread(general, 'secret', { private: true }).id;
    const secret = member.send(thread, 'https://news.example/secret');
    await answerTo(said('https://news.example/told'));
    await scene.settled();
    expect(member.messages(thread).map(({ id }) => id)).toEqual([secret.id]);
    sandbox.operator.setPermissions({ channel: general, who: 'bot' });
  });

  test('a link that somebody writes in a thread of a link channel, or in a forum that is one, is answered there', async () => {
    const { sandbox, bot } = scene;
    const { id: forum } = sandbox.channels.forum;
    const channels = [general, forum];
    await writeSetting(bot.store, sandbox.guildId, 'link-channels', channels);
    await bot.rules.refresh(sandbox.guildId);
    const as = sandbox.as(grace);
    const places = [
      [general, as.startThread(general, 'In public').id],
      [forum, as.post(forum, 'A post', 'of words').id],
    ] as const;
    for (const [home, channel] of places) {
      const { id } = as.send(channel, `https://news.example/in-${channel}`);
      const answer = await sandbox.until(() => answersTo(channel, id)[0], 'an answer there');
      const article = await scene.eventually(() => scene.article(answer.id), Boolean, 'committed');
      expect(article).toMatchObject({ home, channel });
    }
    await writeSetting(bot.store, sandbox.guildId, 'link-channels', [general]);
    await bot.rules.refresh(sandbox.guildId);
  });

  test('a link that somebody writes comes without words that the server blocks, also where Discord knows its page already', async () => {
    const { sandbox, bot } = scene;
    const { store, rules } = bot;
    const subject = wordsSubject('jackpot')!;
    await writeBlock(store, sandbox.guildId, {
      subject,
      ...zBlock.parse({ by: sandbox.admin }),
    });
    await rules.refresh(sandbox.guildId, { block: subject });
    for (const [path, title, called] of [
      ['cached', 'A jackpot', 'cached.example/cached'],
      ['other', 'A win', 'A win'],
    ] as const) {
      const url = `https://cached.example/${path}`;
      const message = { authorId: grace, content: url, embeds: [{ url, title }] };
      const { id } = createMessage(sandbox.world, sandbox.channels.general, message);
      const answer = await answerTo(id);
      expect(readArticleMessage(answer)?.title).toBe(called);
    }
    await deleteBlock(store, sandbox.guildId, subject);
    await rules.refresh(sandbox.guildId, { block: subject });
  });

  test('a link that somebody writes where Frontpage may not react is answered once it may', async () => {
    const { operator, guildId } = scene.sandbox;
    const mayReact = () => {
      const channel = scene.bot.client.channels.cache.get(general) as GuildTextBasedChannel;
      return missingPermissions(channel, ['AddReactions']).length === 0;
    };
    operator.setPermissions({ channel: general, who: 'bot', deny: ['AddReactions'] });
    await expect.poll(mayReact).toBe(false);
    const early = said('https://news.example/before-it-may');
    await heard();
    // It waits for what was to be sent there before.
    const target = { guild: guildId, channel: general };
    await scene.bot.requests.ask(target, 'POST', async () => null);
    operator.setPermissions({ channel: general, who: 'bot' });
    await expect.poll(mayReact).toBe(true);
    await answerTo(said('https://news.example/now-it-may'));
    expect(answersTo(general, early)).toEqual([]);
  });

  test('where Discord refuses messages is not answered, and Discord is asked once', async () => {
    const { faults, requests, guildId } = scene.sandbox;
    const sent = () => requests.count('POST', /messages/, 403);
    const kept = () => readRefusal(scene.bot.store, guildId, `POST ${general}`);
    const end = faults.add({
      method: 'POST',
      path: new RegExp(`${general}/messages`),
      status: 403,
    });
    said('https://news.example/refused-first');
    await expect.poll(sent).toBe(1);
    await expect.poll(kept).not.toBeNull();
    said('https://news.example/refused-next');
    await heard();
    end();
    scene.clock.move(MINUTE_MS);
    await answerTo(said('https://news.example/accepted'));
    expect(sent()).toBe(1);
  });

  // Withstands (Attacks): A link stands in another channel
  // → link channels alone are read
  test('a link that somebody writes outside the link channels is not answered, stored or asked about', async () => {
    const { sandbox, redis, bot } = scene;
    const member = sandbox.as(grace);
    const thread = member.startThread(rust, 'aside').id;
    // Every command from here on.
    await redis.redis.config('SET', 'slowlog-log-slower-than', '0', 'slowlog-max-len', '10000');
    // Of a host of their own: an article of an earlier test may still be on its way into the ranking.
    const links = ['https://unseen.example/elsewhere', 'https://unseen.example/in-a-thread'];
    const said = [member.send(rust, links[0]!), member.send(thread, links[1]!)];
    unfurl(said[0]!.id, [{ url: links[0]!, title: 'Seen' }], rust);
    // Without any link channel, none is looked at either.
    await writeSetting(bot.store, sandbox.guildId, 'link-channels', []);
    await bot.rules.refresh(sandbox.guildId);
    said.push(member.send(general, 'https://unseen.example/nowhere'));
    await heard();
    await writeSetting(bot.store, sandbox.guildId, 'link-channels', [general]);
    await bot.rules.refresh(sandbox.guildId);
    // Begun after them, and posted.
    await answerTo(member.send(general, 'https://quiet.example/last').id);
    const asked = sandbox.requests.recent.map(({ channelId }) => channelId);
    expect(asked.filter((channel) => channel === rust || channel === thread)).toEqual([]);
    const commands = async () => JSON.stringify(await redis.redis.slowlog('GET', 10_000));
    await expect.poll(commands).toContain('quiet.example');
    expect(await commands()).not.toContain('unseen.example');
    for (const { channel_id: channel, id } of said) expect(answersTo(channel, id)).toEqual([]);
    await redis.redis.config('SET', 'slowlog-log-slower-than', '10000', 'slowlog-max-len', '128');
  });
});
