import { z } from 'zod';
const STANDARD = new RegExp('^(?:\\p{RGI_Emoji}|\\p{Extended_Pictographic})$', 'v');

/** The emoji as it stands in a URL: a character, or `name:id`. undefined if it is neither. */
export function parseEmoji(text: string): { id: string | null; name: string } | undefined {
  const custom = /^(?:a:)?(\w{2,32}):(\d{15,20})$/.exec(text);
  if (custom?.[1] !== undefined && custom[2] !== undefined) {
    return { id: custom[2], name: custom[1] };
  }
  return STANDARD.test(text) ? { id: null, name: text } : undefined;
}

const zRoles = z.array(z.string().regex(/^\d{15,20}$/)).nullish();
export const zEmojiName = z.object({ name: z.string().regex(/^\w{2,32}$/), roles: zRoles });
export const zEmojiChange = zEmojiName.partial();
/** A new custom emoji. */
export const zEmojiForm = zEmojiName.extend({
  image: z.string().regex(/^data:image\/(?:png|jpe?g|gif|webp|avif);base64,/),
});
