import {
  DiscordAPIError,
  DiscordjsError,
  DiscordjsErrorCodes,
  GatewayCloseCodes,
} from 'discord.js';
import type { ServerCheck } from './redis/startup-checks/check-server.ts';
import { NotDiscord } from './discord/api-errors.ts';
import { isOutage } from './redis/errors.ts';
import { ServerUnavailable } from './redis/private-server/private-server.ts';

/**
 * Exit codes of sysexits.h. The systemd unit does not restart after `config` and `permission`,
 * which only a person can correct.
 */
export const exitCodes = {
  usage: 64,
  data: 65,
  noInput: 66,
  unavailable: 69,
  software: 70,
  cannotCreate: 73,
  disk: 74,
  temporary: 75,
  permission: 77,
  config: 78,
} as const;

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The reason why the bot cannot start, as a sentence for the host. */
export class CannotStart extends Error {
  readonly code: ExitCode;

  constructor(message: string, code: ExitCode) {
    super(message);
    this.code = code;
  }
}

/** The reason why a check refused the Redis server. */
export function refusedServer({ status, reason }: Exclude<ServerCheck, { status: 'accepted' }>) {
  return new CannotStart(reason, status === 'refused' ? exitCodes.config : exitCodes.unavailable);
}

/** Discord ended the connection, and connecting again would not help. */
export class GatewayRefusal extends Error {
  override readonly name = 'GatewayRefusal';
  /** One of `GatewayCloseCodes`. */
  readonly closeCode: number;

  constructor(closeCode: number) {
    super(`Discord ended the connection for good (code ${closeCode}).`);
    this.closeCode = closeCode;
  }
}

const TOKEN_REFUSED: number = GatewayCloseCodes.AuthenticationFailed;
const CURES: Partial<Record<number, string>> = {
  [GatewayCloseCodes.InvalidShard]: 'correct SHARDS and SHARD_COUNT, or leave both out.',
  [GatewayCloseCodes.ShardingRequired]:
    'the bot is in too many servers for this many shards: leave SHARD_COUNT out, or raise it.',
  [GatewayCloseCodes.InvalidAPIVersion]: 'install a newer Frontpage.',
  [GatewayCloseCodes.InvalidIntents]: 'install a newer Frontpage.',
  [GatewayCloseCodes.DisallowedIntents]:
    'switch MESSAGE_CONTENT off, or grant it at https://discord.com/developers/applications (page Bot).',
};

const networkFault =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_\w+|HPE_\w+|ERR_SSL_\w+|ERR_TLS_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/;

/** A sentence for the host with its exit code, or null for an unknown error. */
export function explain(error: unknown): CannotStart | null {
  if (error instanceof CannotStart) return error;
  if (error instanceof ServerUnavailable) {
    return new CannotStart(error.message, exitCodes[error.trouble]);
  }
  return explainDiscord(error) ?? explainSystem(error as NodeJS.ErrnoException);
}

function explainDiscord(error: unknown): CannotStart | null {
  const isTokenFault =
    (error instanceof GatewayRefusal && error.closeCode === TOKEN_REFUSED) ||
    (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid) ||
    (error instanceof DiscordAPIError && error.status === 401);
  if (isTokenFault) {
    return new CannotStart(
      'Discord does not accept the token: copy it again from https://discord.com/developers/applications (page Bot), or reset it there.',
      exitCodes.config,
    );
  }
  if (error instanceof GatewayRefusal) {
    const cure = CURES[error.closeCode] ?? 'look at https://discordstatus.com.';
    return new CannotStart(`${error.message} Cure: ${cure}`, exitCodes.config);
  }
  if (!(error instanceof Error)) return null;
  const { status } = error as { status?: unknown };
  const isNotDiscord =
    error instanceof NotDiscord || (error instanceof SyntaxError && error.message.includes('JSON'));
  const isLate = error.name === 'AbortError' || error.name === 'TimeoutError';
  if (isNotDiscord || isLate || typeof status === 'number') {
    const answer = typeof status === 'number' ? `answers with status ${status}` : 'does not answer';
    const what = isNotDiscord ? 'answers with something else' : answer;
    return new CannotStart(
      `Discord ${what}: look at https://discordstatus.com, and see whether a proxy or DISCORD_API_BASE is in the way.`,
      exitCodes.unavailable,
    );
  }
  return null;
}

/** Sentences for the error codes of the system, the network and Redis. */
function explainSystem(error: NodeJS.ErrnoException): CannotStart | null {
  const { code, syscall, path } = error;
  const { address, port } = error as { address?: string; port?: number };
  if (syscall === 'listen' && code === 'EADDRINUSE') {
    return new CannotStart(
      `The port ${port} is taken by another program: end it, or set another WEB_PORT or METRICS_PORT.`,
      exitCodes.unavailable,
    );
  }
  if (syscall === 'listen') {
    return new CannotStart(
      `Nothing can be served at ${address}, port ${port} (${code}): choose an address of this machine and a port above 1023.`,
      exitCodes.config,
    );
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new CannotStart('The disk is full: free some space on it.', exitCodes.disk);
  }
  if (path !== undefined && code === 'EEXIST') {
    const message = `There is a file ${path} already: name another one.`;
    return new CannotStart(message, exitCodes.cannotCreate);
  }
  if (path !== undefined && code === 'ENOENT') {
    return new CannotStart(`There is no ${path}.`, exitCodes.noInput);
  }
  if (code === 'EISDIR') {
    return new CannotStart('A folder stands where a file is needed.', exitCodes.noInput);
  }
  if (path !== undefined) {
    const isForbidden = code === 'EACCES' || code === 'EPERM' || code === 'EROFS';
    const exitCode = isForbidden ? exitCodes.permission : exitCodes.noInput;
    return new CannotStart(`${path} cannot be used by this user (${code}).`, exitCode);
  }
  // Redis answered just before, so this is an error of the connection to Discord.
  if (typeof code === 'string' && networkFault.test(code)) {
    return new CannotStart(
      `Discord cannot be reached (${code}): check the network${code.includes('CERT') ? ", this machine's clock" : ''} and DISCORD_API_BASE.`,
      exitCodes.unavailable,
    );
  }
  if (error.name === 'ReplyError') {
    return new CannotStart(
      `Redis refuses what Frontpage needs (${error.message}): correct that on the server.`,
      exitCodes.unavailable,
    );
  }
  if (!isOutage(error)) return null;
  return new CannotStart(
    'Redis answered and then went away: see whether it still runs.',
    exitCodes.unavailable,
  );
}
