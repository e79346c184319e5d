import { type Discord, type DiscordOptions, openDiscord } from '../../discord-box/src/server.ts';
import type { Snowflake } from '../../discord-box/src/model/snowflakes.ts';
import { pageFiles } from '../page/server/files.ts';
import { pageApi } from '../page/server/page-api.ts';
import { openStreams } from '../page/server/stream.ts';
import {
  BOT_PERMISSIONS,
  type Community,
  inviteBot,
  seedCommunity,
} from './community/community.ts';
import { isOfTheCrowd } from './community/crowd.ts';
import { seedOldLinks, seedPast } from './community/past.ts';
import { keepWorldSaved, readSavedWorld, restoreWorld } from './community/saved-world.ts';
import type { Language } from './languages/languages.ts';
import { panelRoutes } from './panel-api.ts';
import type { WorldKind } from './panel-state.ts';
import { openRedisView, type RedisView } from './redis-view.ts';
import { openClimb } from './climb.ts';
import { openTalk } from './talk.ts';
import { openTour, type Tour } from './steps.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { TOUR_WEB } from './web/web.ts';
import type { Phase } from './phases.ts';
import { openTrouble, type Trouble } from './trouble.ts';

export type SandboxOptions = DiscordOptions & {
  /** 0, the default, takes a free one. */
  port?: number;
  /** Where the world is stored from one start to the next; nowhere by default. */
  saveFile?: string;
  /** The file whose offset the clock follows, so that the page can move time. */
  clockFile?: string;
  /** The bot's data folder: the page shows what the private Redis in it holds. */
  botData?: string;
  /**
   * A new world begins with a month of articles, with links that were posted before the bot came, or with
   * nothing. Without a month, the bot has not joined yet: `inviteBot`.
   */
  past?: WorldKind;
  /** What the community of a new world speaks; English by default. */
  language?: Language;
  /** The panel also shows what serves the sandbox's makers: Redis, requests, a crowd, the clock, troubles. */
  inside?: boolean;
  /** What the start does when the page opens; without it, nothing is waited for. */
  phase?: Phase;
};

const BROWSER = {
  entry: new URL('panel/main.ts', import.meta.url),
  icon: new URL('panel/icon.svg', import.meta.url),
};

/** A Discord in a box with a community in it, the page, and a tour of Frontpage. */
export type Sandbox = Discord &
  Community & {
    guildId: Snowflake;
    tour: Tour;
    trouble: Trouble;
    /** The bot's Redis, where `botData` tells of it. */
    redis: RedisView | undefined;
    /** Nobody has set up the bot in this world as its admin yet, or not to the end. */
    toSetUp: () => boolean;
    /** The admin has set up what this world begins with. */
    noteSetUp: () => void;
    /** The bot joins the community, if it is not in it yet. */
    inviteBot(): void;
  };

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port, saveFile, clockFile, botData, past, language, inside, phase, ...ofDiscord } =
    options;
  const saved = saveFile === undefined ? undefined : readSavedWorld(saveFile);
  const unstarted = openDiscord({
    // Who clicks here is a person, or a test of a bot that waits for no button.
    membersTakeMs: 0,
    name: 'Frontpage',
    botPermissions: BOT_PERMISSIONS,
    web: TOUR_WEB,
    ...ofDiscord,
    ...(saved === undefined ? {} : { applicationId: saved.applicationId }),
  });
  const { world, random, gateway, faults, app } = unstarted;
  const community =
    saved === undefined
      ? seedCommunity(world, random, language ?? 'en-US')
      : restoreWorld(world, saved);
  const invite = (joinedAtMs: number): void => {
    if (!community.guild.members.has(world.application.botId)) {
      inviteBot(world, community, joinedAtMs);
    }
  };
  const isLived = past === undefined || past === 'month';
  if (saved === undefined) {
    if (isLived) invite(world.clock.now() - 60 * DAY_MS);
    if (past === 'month') seedPast(world, community, random);
    if (past === 'links') seedOldLinks(world, community, random);
  }
  const redis = botData === undefined ? undefined : openRedisView(botData, world.application.id);
  const trouble = openTrouble(world, gateway, faults, redis);
  const tour = openTour(world, {
    redis,
    community,
    kind: past ?? 'month',
    inside: inside ?? false,
    before: saved?.tour ?? [],
    phase: phase ?? null,
  });
  const climb = openClimb(world, redis, random);
  const talk = openTalk(world, redis, community);
  let toSetUp = saved === undefined ? past === 'month' : saved.toSetUp === true;
  const panel = panelRoutes({
    world,
    random,
    trouble,
    tour,
    redis,
    clockFile,
    climb,
    talk,
    community: past === 'month' ? community : undefined,
  });
  const page = {
    ...unstarted,
    showsMember: (username: string) => !isOfTheCrowd(username),
    // Most people are members; where the bot has just come, somebody has to set it up.
    firstActor: isLived ? community.members[0] : community.admin,
  };
  app.route('/sandbox', pageApi(page, panel));
  app.route('/', pageFiles(BROWSER));
  const streams = openStreams(world);
  unstarted.upgrades.set('/sandbox/', streams.upgrade);
  const discord = await unstarted.listen(port);
  const endSaving =
    saveFile === undefined
      ? undefined
      : keepWorldSaved({ world, community, tour, toSetUp: () => toSetUp }, saveFile);

  return {
    ...discord,
    ...community,
    guildId: community.guild.id,
    tour,
    trouble,
    redis,
    toSetUp: () => toSetUp,
    noteSetUp: () => {
      toSetUp = false;
    },
    inviteBot: () => invite(world.clock.now()),
    stop: async () => {
      tour.stop();
      climb.stop();
      talk.stop();
      await redis?.close();
      endSaving?.();
      streams.stop();
      await discord.stop();
    },
  };
}
