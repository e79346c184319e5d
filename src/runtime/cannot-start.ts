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

/** The reason why the bot, or a command of the host, cannot go on: a sentence for the host. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
  readonly code: number;

  constructor(message: string, code: keyof typeof exitCodes) {
    super(message);
    this.code = exitCodes[code];
  }
}

/** The exit code for a folder that cannot be used: only another user can mend it, or the setting is wrong. */
export function codeOfFolder(code: string | undefined): 'permission' | 'config' {
  return ['EACCES', 'EPERM', 'EROFS'].includes(code ?? '') ? 'permission' : 'config';
}

/** For a file or folder in DATA_DIR that could not be made, read or written. */
export function cannotUse(path: string, error: unknown): CannotStart {
  if (error instanceof CannotStart) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new CannotStart(
      `There is no room left for ${path}: free some space on that disk, or set DATA_DIR to another one.`,
      'disk',
    );
  }
  return new CannotStart(
    `${path} cannot be used (${message}): set DATA_DIR to a folder that this user may write to.`,
    codeOfFolder(code),
  );
}
