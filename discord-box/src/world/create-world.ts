import { randomBytes } from 'node:crypto';
import { EMPTY_WEB, type Web } from '../model/web.ts';
import type { Application, IdentifyLimit, World } from '../model/world.ts';
import { openChanges } from '../model/changes.ts';
import { openExchanges } from '../model/exchanges.ts';
import type { Clock } from '../model/clock.ts';
import { type Snowflake, snowflakeMaker } from '../model/snowflakes.ts';
import { addUser } from './users.ts';

const DAY_MS = 86_400_000;
/** Long enough for a busy machine. What happens is not waited for. */
const UNTIL_MS = 60_000;

export type WorldOptions = {
  clock: Clock;
  /** The bot's token; by default one of Discord's form, made by chance. */
  token?: string;
  /** The id of the application and of its bot; by default a new one. */
  applicationId?: Snowflake;
  name?: string;
  /** What the bot is invited with; by default nothing beyond what @everyone may. */
  botPermissions?: bigint;
  privileged?: Partial<Application['privileged']>;
  identifies?: Partial<IdentifyLimit>;
  /** Discord's 3 s by default; a test that is not about this limit may give a busy machine more. */
  answerWithinMs?: number;
  /**
   * 100 by default. A bot that waits for a button begins to when Discord has taken its answer, so that
   * a member who is faster than anybody is not heard.
   */
  membersTakeMs?: number;
  /** How long `until` and a member wait at most, in real time: 60 s by default. */
  untilMs?: number;
  /** The pages of which Discord makes previews; none by default. */
  web?: Web;
};

export function createWorld(options: WorldOptions): World {
  const snowflake = snowflakeMaker(options.clock);
  // Like most applications today, the bot's user id equals the application's id.
  const id = options.applicationId ?? snowflake(options.clock.now() - 90 * DAY_MS);
  const name = options.name ?? 'Bot';
  const total = 1000;
  const left = { total, remaining: total, resetAtMs: options.clock.now() + DAY_MS };
  const world: World = {
    clock: options.clock,
    changes: openChanges(options.untilMs ?? UNTIL_MS),
    exchanges: openExchanges(),
    snowflake,
    address: '',
    application: {
      id,
      name,
      botId: id,
      token: options.token ?? makeToken(id),
      tokenIsReset: false,
      ownerHasTwoFactors: true,
      botPermissions: options.botPermissions ?? 0n,
      privileged: {
        messageContent: options.privileged?.messageContent ?? false,
        guildMembers: options.privileged?.guildMembers ?? false,
        presences: options.privileged?.presences ?? false,
      },
    },
    users: new Map(),
    guilds: new Map(),
    channels: new Map(),
    commands: new Map(),
    webhooks: new Map(),
    invites: new Map(),
    ownEmojis: new Map(),
    interactions: new Map(),
    uploads: new Map(),
    uncounted: new Set(),
    unindexed: new Set(),
    harmfulHosts: new Set(),
    blockedBy: new Set(),
    // New sessions at any pace, so that a developer need not wait after each start.
    identifies: { concurrency: 16, everyMs: 0, left, ...options.identifies },
    invalidRequests: { most: 10_000, perMs: 600_000, sinceMs: options.clock.now(), count: 0 },
    closedToMessages: new Set(),
    openPolls: new Map(),
    answerWithinMs: options.answerWithinMs ?? 3000,
    membersTakeMs: options.membersTakeMs ?? 100,
    attachmentSizeLimit: 10_485_760,
    web: options.web ?? EMPTY_WEB,
  };
  addUser(world, { id, username: name, bot: true });
  return world;
}

/** Some clients read the application's id from the first part, which is its digits in base64. */
function makeToken(applicationId: Snowflake): string {
  const first = Buffer.from(applicationId).toString('base64').replace(/=+$/, '');
  return `${first}.${randomBytes(4).toString('base64url')}.${randomBytes(28).toString('base64url')}`;
}
