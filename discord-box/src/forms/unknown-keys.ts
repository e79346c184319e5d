import { ComponentType as Type } from 'discord-api-types/v10';
import type { $ZodType, $ZodTypes } from 'zod/v4/core';

/** What each kind of component has besides its type and its id. */
export const KEYS_OF_PARTS: Partial<Record<Type, readonly string[]>> = {
  [Type.ActionRow]: ['components'],
  [Type.Button]: ['custom_id', 'style', 'label', 'disabled', 'url', 'sku_id', 'emoji'],
  [Type.StringSelect]: ofSelect('options'),
  [Type.TextInput]: [
    'custom_id',
    'style',
    'label',
    'value',
    'placeholder',
    'required',
    'min_length',
    'max_length',
  ],
  [Type.UserSelect]: ofSelect('default_values'),
  [Type.RoleSelect]: ofSelect('default_values'),
  [Type.MentionableSelect]: ofSelect('default_values'),
  [Type.ChannelSelect]: ofSelect('default_values', 'channel_types'),
  [Type.Section]: ['components', 'accessory'],
  [Type.TextDisplay]: ['content'],
  [Type.Thumbnail]: ['media', 'description', 'spoiler'],
  [Type.MediaGallery]: ['items'],
  [Type.File]: ['file', 'spoiler'],
  [Type.Separator]: ['spacing', 'divider'],
  [Type.Container]: ['components', 'accent_color', 'spoiler'],
  [Type.Label]: ['label', 'description', 'component'],
  [Type.FileUpload]: ['custom_id', 'min_values', 'max_values', 'required', 'file_types'],
  [Type.RadioGroup]: ['custom_id', 'required', 'options'],
  [Type.CheckboxGroup]: ['custom_id', 'min_values', 'max_values', 'required', 'options'],
  [Type.Checkbox]: ['custom_id', 'default'],
};

/** What stands within a component under a key, and is no component itself. */
const KEYS_WITHIN: Record<string, readonly string[]> = {
  options: ['label', 'value', 'description', 'default', 'emoji'],
  default_values: ['id', 'type'],
  items: ['media', 'description', 'spoiler'],
  emoji: ['id', 'name', 'animated'],
  media: ['url'],
  file: ['url'],
};

/** What Discord finds out by itself, so that a component which a bot sends again has it too. */
const FOUND_BY_DISCORD = new Set([
  'name',
  'size',
  'proxy_url',
  'width',
  'height',
  'content_type',
  'attachment_id',
  'flags',
  'placeholder',
  'placeholder_version',
  'loading_state',
  'is_animated',
]);

function ofSelect(...more: string[]): readonly string[] {
  const common = ['custom_id', 'placeholder', 'min_values', 'max_values', 'disabled', 'required'];
  return [...common, ...more];
}

type Keyed = Record<string, unknown>;

/**
 * Components without the keys that Discord does not know, which it ignores. `tell` gets the path of
 * each of these, such as `[0].components[1].colour`.
 */
export function knownParts<Parts>(parts: Parts, tell: (path: string) => void = () => {}): Parts {
  const known = (value: unknown, path: string, under: string): unknown => {
    if (Array.isArray(value)) {
      return value.map((one, index) => known(one, `${path}[${index}]`, under));
    }
    if (typeof value !== 'object' || value === null) return value;
    const isPart = typeof (value as Keyed)['type'] === 'number';
    const ofPart = isPart ? KEYS_OF_PARTS[(value as { type: Type }).type] : undefined;
    const keys = isPart ? ofPart && ['type', 'id', ...ofPart] : KEYS_WITHIN[under];
    if (keys === undefined) return value;
    const entries = Object.entries(value).filter(([key]) => {
      const isKnown = keys.includes(key);
      if (!isKnown && !FOUND_BY_DISCORD.has(key)) tell(`${path}.${key}`);
      return isKnown;
    });
    return Object.fromEntries(
      entries.map(([key, inner]) => [key, known(inner, `${path}.${key}`, key)]),
    );
  };
  return known(parts, '', '') as Parts;
}

/** The paths of the keys that a form does not name. What it takes as it comes, it does not look into. */
export function unknownKeys(form: $ZodType, value: unknown, path = ''): string[] {
  const { def } = (form as $ZodTypes)._zod;
  switch (def.type) {
    case 'lazy':
      return unknownKeys(def.getter(), value, path);
    case 'optional':
    case 'nullable':
    case 'default':
      return unknownKeys(def.innerType, value, path);
    case 'pipe':
      return unknownKeys(def.in, value, path);
    case 'array':
      if (!Array.isArray(value)) return [];
      return value.flatMap((one, index) => unknownKeys(def.element, one, `${path}[${index}]`));
    case 'object': {
      const isTakenAsItComes = def.catchall !== undefined;
      if (isTakenAsItComes || typeof value !== 'object' || value === null) return [];
      return Object.entries(value).flatMap(([key, inner]) => {
        const place = path === '' ? key : `${path}.${key}`;
        const shape = def.shape[key];
        return shape === undefined ? [place] : unknownKeys(shape, inner, place);
      });
    }
    default:
      return [];
  }
}
