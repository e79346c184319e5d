/** The name of the exit code (see `cannot-start.ts`). */
type Trouble = 'unavailable' | 'permission' | 'config' | 'disk' | 'temporary';

/** Why there is no private server. The message is for the person who hosts the bot. */
export class ServerUnavailable extends Error {
  override name = 'ServerUnavailable';
  readonly trouble: Trouble;

  constructor(message: string, trouble: Trouble) {
    super(message);
    this.trouble = trouble;
  }

  /** For a file or folder that cannot be made, read or written. */
  static from(error: unknown, path: string): ServerUnavailable {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      return new ServerUnavailable(
        `There is no room left for ${path}: free some space on that disk, or set DATA_DIR to another one.`,
        'disk',
      );
    }
    return new ServerUnavailable(
      `${path} cannot be used (${message}): set DATA_DIR to a folder that this user may write to.`,
      ['EACCES', 'EPERM', 'EROFS'].includes(code) ? 'permission' : 'config',
    );
  }
}
