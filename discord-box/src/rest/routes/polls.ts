import { type Context, Hono } from 'hono';
import { endPoll } from '../../world/messages/polls.ts';
import { messagePayload } from '../../world/messages/message-payload.ts';
import { compareIds } from '../../model/snowflakes.ts';
import type { World } from '../../model/world.ts';
import { userPayload } from '../../world/user-payload.ts';
import { reachMessage, reachMessages } from '../access.ts';
import { refuse } from '../errors.ts';
import { limitOf, snowflakeOf } from './messages.ts';

export function pollRoutes(world: World): Hono {
  const routes = new Hono();
  const target = (context: Context) => {
    const channel = reachMessages(world, context.req.param('channel') ?? '');
    const message = reachMessage(channel, context.req.param('message') ?? '');
    if (message.poll === null) throw refuse('noPoll');
    return { channel, message, poll: message.poll };
  };

  routes.get('/channels/:channel/polls/:message/answers/:answer', (context) => {
    const { poll } = target(context);
    const answer = poll.answers.find(({ id }) => String(id) === context.req.param('answer'));
    const after = snowflakeOf(context, 'after') ?? '0';
    const voters = [...(answer?.voterIds ?? [])].filter((id) => compareIds(id, after) > 0);
    const page = voters.sort(compareIds).slice(0, limitOf(context, 25));
    return context.json({ users: page.map((id) => userPayload(world, id)) });
  });

  routes.post('/channels/:channel/polls/:message/expire', (context) => {
    const { channel, message, poll } = target(context);
    if (message.authorId !== world.application.botId) throw refuse('notTheAuthor');
    if (poll.isOver) throw refuse('pollIsOver');
    endPoll(world, channel, message, poll);
    return context.json(messagePayload(world, message));
  });

  return routes;
}
