import { z } from 'zod';

/** What members vote with under an article. Each sign stands as Discord writes it in a text: `👍`, `<:up:1>`. */
export type VoteSigns = {
  up: string;
  down: string;
  /** The bot shows the way to a down vote. One that a member adds counts in any case. */
  isDownOffered: boolean;
};

/** What an article has that says nothing else. They count beside any other signs. */
export const THUMBS: VoteSigns = { up: '👍', down: '👎', isDownOffered: true };

/** An emoji of a server; one that Discord does not know any more can lose its id in a text. */
const custom = /^(?:<a?:\w{2,32}:\d{15,20}>|:\w{2,32}:)$/;
const standard = new RegExp('^\\p{RGI_Emoji}$', 'v');

export function isSign(text: string): boolean {
  return custom.test(text) || standard.test(text);
}

/** The signs as one text: `👍` where only up is offered, `<:up:1> 👎`, or `👍 (<:down:1>)`. */
export function signsText({ up, down, isDownOffered }: VoteSigns): string {
  if (isDownOffered) return `${up} ${down}`;
  return down === THUMBS.down ? up : `${up} (${down})`;
}

/** The inverse of `signsText`. Null for any other text. */
export function parseSigns(text: string): VoteSigns | null {
  const [, up = '', offered, hidden] = /^(\S+?)(?: ([^\s()]+)| \((\S+)\))?$/.exec(text) ?? [];
  const down = offered ?? hidden ?? THUMBS.down;
  if (!isSign(up) || !isSign(down) || up === down) return null;
  return { up, down, isDownOffered: offered !== undefined };
}

/** Signs in a file. */
export const zSignsText = z
  .string()
  .max(200)
  .refine((text) => parseSigns(text) !== null, { error: 'no signs of votes' });

/** Undefined where they are the thumbs, which an article need not say. */
export function unlessThumbs(signs: VoteSigns): VoteSigns | undefined {
  return signsText(signs) === signsText(THUMBS) ? undefined : signs;
}
