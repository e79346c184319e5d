import { addReaction } from '../discord-box/src/world/messages/reactions.ts';
import { startCommunity } from '../discord-box/test/community.ts';
import { createLog } from '../src/runtime/log.ts';
import { readArticle } from '../src/ranking/articles/articles.ts';
import { setScale } from '../src/ranking/articles/mark.ts';
import { startBot } from '../src/bot.ts';
import type { Bench } from './bench.ts';
import { grouped, type Row } from './table.ts';
import { until } from './until.ts';

const MANY = 1000;

/** The requests to Discord because of votes: a quarter of them down, on one article, by the gateway. */
export async function measureRequests({ server, clock, quick }: Bench): Promise<Row[]> {
  const votes = quick ? 100 : MANY;
  const sandbox = await startCommunity({ clock });
  const { token, apiBase, world, operator, guildId } = sandbox;
  const { general } = sandbox.channels;
  const log = createLog('error');
  const running = await startBot({ token, apiBase, redis: await server.connect(), clock, log });
  const { ranking } = running;
  const [poster = ''] = sandbox.members;
  // A ★ is no vote's doing alone: it costs a read and an edit, once.
  await setScale(ranking, guildId, { mark: 2 * votes });
  // Under a member's first article, the bot shows no 👎.
  for (const link of ['https://example.com/first', 'https://example.com/']) {
    await sandbox.as(poster).command(general.id, 'post', { link });
  }
  const article = general.messageIds.at(-1)!;
  await until(async () => (await readArticle(ranking, guildId, article)) !== null);
  const channel = world.channels.get(general.id)!;
  const message = channel.messages.get(article)!;
  // The bot adds its own reactions first.
  await until(() => message.reactions.size === 2);

  sandbox.requests.reset();
  for (let n = 0; n < votes; n++) {
    const voter = operator.addPerson({ username: `voter-${n}`, bornMs: Date.UTC(2020, 0, 1) });
    addReaction(world, channel, message, voter, { id: null, name: n % 4 ? '👍' : '👎' }, false);
  }
  await until(async () => {
    const { up = 0, down = 0 } = (await readArticle(ranking, guildId, article)) ?? {};
    return up + down === votes + 1;
  });
  // A request that was made because of the last vote would arrive by then.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const requests = sandbox.requests.count();
  await running.stop();
  await sandbox.stop();
  return [
    {
      what: `requests to Discord for ${grouped(votes)} votes, a quarter down`,
      of: '',
      result: requests,
      unit: '',
      limits: { atLeast: 2, aim: 1 },
    },
  ];
}
