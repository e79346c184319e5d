import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const main = createRequire(import.meta.url).resolve('@discordapp/twemoji');
const FOLDER = join(dirname(main), 'svg');

/** Discord's own picture of an emoji, by its code points such as `1f44d`; undefined if there is none. */
export async function emojiPicture(name: string): Promise<string | undefined> {
  if (!/^[\da-f-]+\.svg$/.test(name)) return undefined;
  return readFile(join(FOLDER, name), 'utf8').catch(() => undefined);
}
