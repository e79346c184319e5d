import type { TagForm } from '../../forms/channel-form.ts';
import type { Tag } from '../../model/channel.ts';
import type { World } from '../../model/world.ts';

/** A tag without an id is new. */
export function newTags(world: World, forms: readonly TagForm[]): Tag[] {
  return forms.map(({ id, name, moderated, emoji_id: emojiId, emoji_name: emojiName }) => ({
    id: id ?? world.snowflake(),
    name,
    moderated: moderated ?? false,
    emojiId: emojiId ?? null,
    emojiName: emojiName ?? null,
  }));
}
