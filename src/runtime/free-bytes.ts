import { statfsSync } from 'node:fs';

/** What this user may still write on the disk of a folder. Throws where there is no such folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
