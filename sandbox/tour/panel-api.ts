import { Hono } from 'hono';
import { z } from 'zod';
import { ActorError } from '../../discord-box/src/act/actor-error.ts';
import type { World } from '../../discord-box/src/model/world.ts';
import type { Random } from '../../discord-box/src/world/random.ts';
import { openMutex } from '../../src/runtime/mutex.ts';
import { moveClock } from '../page/server/move-clock.ts';
import { FRONT_LENGTH, type openClimb } from './climb.ts';
import type { Community } from './community/community.ts';
import { letCrowdVote, MOST } from './community/crowd.ts';
import { liveFor } from './community/days.ts';
import { readiness } from './phases.ts';
import type { RedisView } from './redis-view.ts';
import type { Tour } from './steps.ts';
import type { openTalk } from './talk.ts';
import type { Trouble } from './trouble.ts';

type PanelParts = {
  world: World;
  random: Random;
  trouble: Trouble;
  tour: Tour;
  /** undefined: the bot's Redis is not known. */
  redis: RedisView | undefined;
  clockFile: string | undefined;
  /** Posts and votes while time is moved; undefined in an empty world. */
  community: Community | undefined;
  climb: ReturnType<typeof openClimb>;
  talk: ReturnType<typeof openTalk>;
};

const id = z.string().regex(/^\d{15,20}$/);
const zCrowd = z.object({
  channel: id,
  message: id,
  size: z.int().min(1).max(MOST),
  share: z.number().min(0).max(1),
});
const zTrouble = z.object({
  gateway: z.enum(['open', 'cut']).optional(),
  redis: z.enum(['there', 'away']).optional(),
  api: z.enum(['ok', 'slow', 'failing']).optional(),
});
/** A digest is due a moment after its minute begins. */
const AFTER_MS = 1000;

/** What the page shows and does beside Discord: the tour, Redis, the crowd, the clock, troubles. */
export function panelRoutes(parts: PanelParts): Hono {
  const { world, random, trouble, tour, redis, clockFile, community, climb, talk } = parts;
  const routes = new Hono();
  const inTurn = openMutex();

  routes.get('/ready', (context) => {
    return context.json(readiness(tour.state().phase));
  });
  routes.get('/tour', (context) => context.json(tour.state()));

  routes.get('/front/:guild', async (context) => {
    const lines = (await redis?.front(context.req.param('guild'), FRONT_LENGTH)) ?? [];
    const { article, from, isOver } = climb.state();
    const at = lines.findIndex(({ id: line }) => line === article);
    if (isOver && at !== -1 && at + 1 < from) tour.tick('climb');
    return context.json({ lines, climbing: article });
  });
  routes.post('/climb', async (context) => {
    const { guild } = z.object({ guild: id }).parse(await context.req.json());
    await climb.start(guild);
    return context.json(null);
  });

  routes.post('/talk', async (context) => {
    const { by } = z.object({ by: id }).parse(await context.req.json());
    const article = await talk.start(by);
    tour.follow(article);
    return context.json({ article });
  });

  routes.get('/ranking/:guild/:article', async (context) => {
    const { guild, article } = context.req.param();
    return context.json((await redis?.look(guild, article)) ?? { status: 'away' });
  });

  routes.post('/crowd', async (context) => {
    const {
      channel: channelId,
      message: messageId,
      ...wish
    } = zCrowd.parse(await context.req.json());
    const channel = world.channels.get(channelId);
    const message = channel?.messages.get(messageId);
    const guild = world.guilds.get(channel?.guildId ?? '');
    if (channel === undefined || message === undefined || guild === undefined) {
      throw new ActorError('There is no such message.');
    }
    letCrowdVote(world, { guild, channel, message }, random, wish);
    return context.json(null);
  });

  routes.get('/trouble', (context) => context.json(trouble.state()));
  routes.post('/trouble', async (context) => {
    await trouble.set(withoutUndefined(zTrouble.parse(await context.req.json())));
    return context.json(trouble.state());
  });
  routes.post('/trouble/empty-redis', async (context) => {
    await trouble.emptyRedis();
    return context.json(null);
  });

  /** Moves time forward for the sandbox and the bot alike; both watch the same file. */
  routes.post('/clock', async (context) => {
    const form = z.union([
      z.object({ addMs: z.int().min(0) }),
      z.object({ to: z.literal('digest'), guild: id }),
    ]);
    const wish = form.parse(await context.req.json());
    // One after the other: a second click on the way to a digest would lead past it.
    await inTurn('clock', async () => {
      const addMs = 'to' in wish ? await untilDigest(wish.guild) : wish.addMs;
      if (community === undefined) await moveTime(addMs);
      else await liveFor(addMs, { world, random, community }, moveTime);
    });
    return context.json({ nowMs: world.clock.now() });
  });

  async function untilDigest(guild: string): Promise<number> {
    const atMs = (await redis?.nextDigestMs(guild)) ?? null;
    if (atMs === null) throw new ActorError('no-digest');
    return Math.max(0, Math.ceil(atMs - world.clock.now()) + AFTER_MS);
  }

  async function moveTime(addMs: number): Promise<void> {
    if (clockFile === undefined) throw new ActorError('This sandbox has no clock to move.');
    const before = world.clock.now();
    moveClock(clockFile, addMs);
    // Told once this clock has seen the file; the bot's sees it in the same moment.
    const moved = (): true | undefined => (world.clock.now() - before >= addMs ? true : undefined);
    await world.changes.until(moved, 'the clock to move');
    const d = { nowMs: world.clock.now() };
    world.changes.emit({ t: 'SANDBOX_CLOCK', d, intents: 0, pageOnly: true });
  }

  return routes;
}

function withoutUndefined<T extends object>(
  change: T,
): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}
