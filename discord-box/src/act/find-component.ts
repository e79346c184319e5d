import type { Json } from '../model/message.ts';

/** Finds a button or select by its custom id, however deep it is nested. */
export function findComponent(parts: unknown, customId: string): Json | undefined {
  if (!Array.isArray(parts)) return undefined;
  for (const part of parts as Json[]) {
    if (part['custom_id'] === customId) return part;
    const found = findComponent(
      [part['components'], part['accessory'], part['component']].flat().filter(Boolean),
      customId,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}
