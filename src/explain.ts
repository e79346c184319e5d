import {
  DiscordAPIError,
  DiscordjsError,
  DiscordjsErrorCodes,
  GatewayCloseCodes,
} from 'discord.js';
import { CannotStart } from './runtime/cannot-start.ts';
import { NotDiscord } from './discord/api-errors.ts';
import { isOutage } from './redis/errors.ts';

const TOKEN_REFUSED: number = GatewayCloseCodes.AuthenticationFailed;
const CURES: Partial<Record<number, string>> = {
  [GatewayCloseCodes.InvalidShard]: 'correct SHARDS and SHARD_COUNT, or leave both out.',
  [GatewayCloseCodes.ShardingRequired]:
    'the bot is in too many servers for this many shards: leave SHARD_COUNT out, or raise it.',
  [GatewayCloseCodes.InvalidAPIVersion]: 'install a newer Frontpage.',
  [GatewayCloseCodes.InvalidIntents]: 'install a newer Frontpage.',
  [GatewayCloseCodes.DisallowedIntents]:
    'switch on Message Content Intent at https://discord.com/developers/applications (page Bot), or write MESSAGE_CONTENT=off.',
};

const networkFault =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_\w+|HPE_\w+|ERR_SSL_\w+|ERR_TLS_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/;

const tokenRefused = (): CannotStart =>
  new CannotStart(
    'Discord does not accept the token: copy it again from https://discord.com/developers/applications (page Bot), or reset it there.',
    'config',
  );

/** Discord ended the connection, and connecting again would not help. */
export function gatewayRefusal(closeCode: number): CannotStart {
  if (closeCode === TOKEN_REFUSED) return tokenRefused();
  const cure = CURES[closeCode] ?? 'look at https://discordstatus.com.';
  return new CannotStart(
    `Discord ended the connection for good (code ${closeCode}). Cure: ${cure}`,
    'config',
  );
}

/** A sentence for the host with its exit code, or null for an unknown error. */
export function explain(error: unknown): CannotStart | null {
  if (error instanceof CannotStart) return error;
  return explainDiscord(error) ?? explainSystem(error as NodeJS.ErrnoException);
}

function explainDiscord(error: unknown): CannotStart | null {
  if (!(error instanceof Error)) return null;
  const { name, message, status } = error as Error & { status?: unknown };
  const isTokenFault =
    (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid) ||
    (error instanceof DiscordAPIError && status === 401);
  if (isTokenFault) return tokenRefused();
  const isNotDiscord =
    error instanceof NotDiscord || (error instanceof SyntaxError && message.includes('JSON'));
  const isLate = name === 'AbortError' || name === 'TimeoutError';
  if (!isNotDiscord && !isLate && typeof status !== 'number') return null;
  const answer = typeof status === 'number' ? `answers with status ${status}` : 'does not answer';
  return new CannotStart(
    `Discord ${isNotDiscord ? 'answers with something else' : answer}: look at https://discordstatus.com, and see whether a proxy or DISCORD_API_BASE is in the way.`,
    'unavailable',
  );
}

/** Sentences for the error codes of the system, the network and Redis. */
function explainSystem(error: NodeJS.ErrnoException): CannotStart | null {
  const { code, syscall, path } = error;
  const { address, port } = error as { address?: string; port?: number };
  if (syscall === 'listen' && code === 'EADDRINUSE') {
    return new CannotStart(
      `The port ${port} is taken by another program: end it, or set another WEB_PORT or METRICS_PORT.`,
      'unavailable',
    );
  }
  if (syscall === 'listen') {
    return new CannotStart(
      `Nothing can be served at ${address}, port ${port} (${code}): choose an address of this machine and a port above 1023.`,
      'config',
    );
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new CannotStart('The disk is full: free some space on it.', 'disk');
  }
  if (path !== undefined && code === 'EEXIST') {
    const message = `There is a file ${path} already: name another one.`;
    return new CannotStart(message, 'cannotCreate');
  }
  if (path !== undefined && code === 'ENOENT') {
    return new CannotStart(`There is no ${path}.`, 'noInput');
  }
  if (code === 'EISDIR') {
    return new CannotStart('A folder stands where a file is needed.', 'noInput');
  }
  if (path !== undefined) {
    const isForbidden = code === 'EACCES' || code === 'EPERM' || code === 'EROFS';
    const exitCode = isForbidden ? 'permission' : 'noInput';
    return new CannotStart(`${path} cannot be used by this user (${code}).`, exitCode);
  }
  // Redis answered just before, so this is an error of the connection to Discord.
  if (typeof code === 'string' && networkFault.test(code)) {
    return new CannotStart(
      `Discord cannot be reached (${code}): check the network${code.includes('CERT') ? ", this machine's clock" : ''} and DISCORD_API_BASE.`,
      'unavailable',
    );
  }
  if (error.name === 'ReplyError') {
    return new CannotStart(
      `Redis refuses what Frontpage needs (${error.message}): correct that on the server.`,
      'unavailable',
    );
  }
  if (!isOutage(error)) return null;
  return new CannotStart(
    'Redis answered and then went away: see whether it still runs.',
    'unavailable',
  );
}
