/** Scripts and supervisor need Redis 6.2. Valkey reports at least 7.2. */
export const OLDEST_VERSION = '6.2';

/** Whether a version such as `7.0.15` is one that Frontpage works with. */
export function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_VERSION.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** The fields of an INFO reply, whose lines read `name:value`. The name of a section has no colon. */
export function parseInfo(info: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of info.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return fields;
}
