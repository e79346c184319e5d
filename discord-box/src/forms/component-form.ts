import { ButtonStyle, ChannelType, ComponentType } from 'discord-api-types/v10';
import { z } from 'zod';
import { parseEmoji } from './emoji.ts';
import { knownParts } from './unknown-keys.ts';

export type Part = Record<string, unknown>;
type Report = (path: PropertyKey[], message: string, code?: string) => void;

const MOST_TEXT = 4000;

const SELECTS: ComponentType[] = [
  ComponentType.StringSelect,
  ComponentType.UserSelect,
  ComponentType.RoleSelect,
  ComponentType.MentionableSelect,
  ComponentType.ChannelSelect,
];

/** What stands in forms alone. */
const OF_FORMS: ComponentType[] = [
  ComponentType.FileUpload,
  ComponentType.RadioGroup,
  ComponentType.CheckboxGroup,
  ComponentType.Checkbox,
];

type Within = Partial<Record<ComponentType, ComponentType[]>>;

/** Components of a message: rows of buttons and selects. */
export const zComponents = partsOf([ComponentType.ActionRow], {
  [ComponentType.ActionRow]: [ComponentType.Button, ...SELECTS],
}).pipe(z.array(z.looseObject({ type: z.int() })).max(5));

const IN_CONTAINER = [
  ComponentType.ActionRow,
  ComponentType.Section,
  ComponentType.TextDisplay,
  ComponentType.MediaGallery,
  ComponentType.File,
  ComponentType.Separator,
];
const MOST_PARTS = 40;

/** The components that make up a whole message, with the flag IsComponentsV2. */
export const zLayout = partsOf([...IN_CONTAINER, ComponentType.Container], {
  [ComponentType.ActionRow]: [ComponentType.Button, ...SELECTS],
  [ComponentType.Section]: [
    ComponentType.TextDisplay,
    ComponentType.Button,
    ComponentType.Thumbnail,
  ],
  [ComponentType.Container]: IN_CONTAINER,
})
  .superRefine((parts, context) => {
    const all = parts.flatMap(withInner);
    const params = { code: 'BASE_TYPE_MAX_LENGTH' };
    if (all.length > MOST_PARTS) {
      const message = `Must be ${MOST_PARTS} or fewer in length.`;
      context.addIssue({ code: 'custom', message, params });
    }
    const texts = all.filter(({ type }) => type === ComponentType.TextDisplay);
    if (texts.reduce((length, part) => length + textOf(part, 'content').length, 0) > MOST_TEXT) {
      const message = `Text must be ${MOST_TEXT} or fewer in length in all.`;
      context.addIssue({ code: 'custom', message, params });
    }
  })
  .pipe(z.array(z.looseObject({ type: z.int() })));

function withInner(part: Part): Part[] {
  return [part, ...children(part).flatMap(({ child }) => withInner(child))];
}

/** Parts of which those types may stand at the top, and those within each type. */
function partsOf(top: ComponentType[], within: Within) {
  return z.array(z.looseObject({ type: z.int() })).superRefine((components, context) => {
    const seen = new Set<string>();
    const ids = new Set<unknown>();
    const report: Report = (path, message, code = 'BASE_TYPE_INVALID') =>
      context.addIssue({ code: 'custom', path, message, params: { code } });
    const walk = (part: Part, path: PropertyKey[], allowed: ComponentType[]): void => {
      const type = part['type'] as ComponentType;
      if (!allowed.includes(type)) {
        const message = `Value of field "type" must be one of (${allowed.join(', ')}).`;
        report([...path, 'type'], message, 'UNION_TYPE_CHOICES');
      }
      checkPart(part, path, report);
      const customId = part['custom_id'];
      if (typeof customId === 'string') {
        if (seen.has(customId)) {
          const message = 'Component custom id cannot be duplicated';
          report([...path, 'custom_id'], message, 'COMPONENT_CUSTOM_ID_DUPLICATED');
        }
        seen.add(customId);
      }
      // Discord gives a part without an id or with 0 one of its own.
      if (Boolean(part['id']) && ids.has(part['id'])) {
        report([...path, 'id'], 'Component id cannot be duplicated');
      }
      ids.add(part['id']);
      for (const { child, at } of children(part)) {
        walk(child, [...path, ...at], within[type] ?? []);
      }
    };
    components.forEach((part, index) => walk(part, [index], top));
  });
}

export function children(part: Part): { child: Part; at: PropertyKey[] }[] {
  const inner = part['components'];
  const list = Array.isArray(inner) ? (inner as Part[]) : [];
  const found = list.map((child, index) => ({ child, at: ['components', index] as PropertyKey[] }));
  for (const key of ['component', 'accessory']) {
    const single = part[key];
    if (typeof single === 'object' && single !== null) {
      found.push({ child: single as Part, at: [key] });
    }
  }
  return found;
}

/** The custom emoji of buttons and options, with where they stand. */
export function emojisNamed(parts: unknown): { id: string; path: string[] }[] {
  if (typeof parts !== 'object' || parts === null) return [];
  return Object.entries(parts).flatMap(([key, value]) => {
    const id = key === 'emoji' ? (value as Part | null)?.['id'] : undefined;
    if (typeof id === 'string') return [{ id, path: ['emoji', 'id'] }];
    return emojisNamed(value).map((one) => ({ id: one.id, path: [key, ...one.path] }));
  });
}

/** What Discord adds to a part of a layout that leaves it out. */
const COMPLETED: Partial<Record<ComponentType, Part>> = {
  [ComponentType.Container]: { accent_color: null, spoiler: false },
  [ComponentType.File]: { name: null, size: null, spoiler: false },
  [ComponentType.Thumbnail]: { description: null, spoiler: false },
  [ComponentType.Separator]: { spacing: 1, divider: true },
};

/**
 * Components as Discord keeps them: without keys that it does not know, with an id for each part, and
 * how many entries of a select can be chosen.
 */
export function completeComponents(components: Part[]): Part[] {
  let id = 0;
  const complete = (part: Part): Part => {
    id += 1;
    const isSelect = SELECTS.includes(part['type'] as ComponentType);
    const completed: Part = {
      ...(isSelect ? { min_values: 1, max_values: 1 } : {}),
      ...COMPLETED[part['type'] as ComponentType],
      ...part,
      id: part['id'] ?? id,
    };
    const { components, items } = part;
    if (Array.isArray(items)) {
      completed['items'] = items.map((item) => ({ description: null, spoiler: false, ...item }));
    }
    if (Array.isArray(components)) completed['components'] = (components as Part[]).map(complete);
    const { accessory } = part;
    if (accessory) completed['accessory'] = complete(accessory as Part);
    return completed;
  };
  return knownParts(components).map(complete);
}

function checkPart(part: Part, path: PropertyKey[], report: Report): void {
  const text = (key: string, max: number, min = 1, required = true): void => {
    const value = part[key];
    if (value === undefined || value === null) {
      if (required) report([...path, key], 'This field is required', 'BASE_TYPE_REQUIRED');
    } else if (
      typeof value !== 'string' ||
      value.length > max ||
      (value === '' ? value : value.trim()).length < min
    ) {
      const message = `Must be between ${min} and ${max} in length.`;
      report([...path, key], message, 'BASE_TYPE_BAD_LENGTH');
    }
  };
  const list = (key: string, max: number): void => {
    const { length } = Array.isArray(part[key]) ? (part[key] as unknown[]) : [];
    if (length >= 1 && length <= max) return;
    report([...path, key], `Must be between 1 and ${max} in length.`, 'BASE_TYPE_BAD_LENGTH');
  };
  switch (part['type'] as ComponentType) {
    case ComponentType.ActionRow: {
      const row = children(part);
      const buttons = row.every(({ child }) => child['type'] === ComponentType.Button);
      return list('components', buttons ? 5 : 1);
    }
    case ComponentType.Button:
      checkEmoji(part, path, report);
      text('label', 80, 1, part['emoji'] === undefined || part['emoji'] === null);
      if (part['style'] === ButtonStyle.Link) {
        text('url', 512);
        if (!/^(?:https?|discord):/i.test(textOf(part, 'url'))) {
          report([...path, 'url'], 'Scheme must be one of http, https, discord.');
        }
        if (part['custom_id']) report([...path, 'custom_id'], 'A link has no custom id.');
      } else {
        text('custom_id', 100);
        if (part['url']) report([...path, 'url'], 'Only a link has a URL.');
      }
      if (![1, 2, 3, 4, 5].includes(part['style'] as number)) {
        report([...path, 'style'], 'Value must be one of {1, 2, 3, 4, 5}.', 'BASE_TYPE_CHOICES');
      }
      return;
    case ComponentType.StringSelect:
      list('options', 25);
      checkOptions(part, path, report);
      checkChosen(part, path, report);
      text('custom_id', 100);
      return text('placeholder', 150, 0, false);
    case ComponentType.UserSelect:
    case ComponentType.RoleSelect:
    case ComponentType.MentionableSelect:
    case ComponentType.ChannelSelect:
      if (((part['channel_types'] ?? []) as unknown[]).includes(ChannelType.GuildMedia)) {
        report([...path, 'channel_types'], 'Only Discord’s preview knows media channels.');
      }
      checkChosen(part, path, report);
      text('custom_id', 100);
      return text('placeholder', 150, 0, false);
    case ComponentType.TextInput:
      text('custom_id', 100);
      text('placeholder', 100, 0, false);
      return text('value', 4000, 0, false);
    case ComponentType.FileUpload:
      checkChosen(part, path, report, 10);
      return text('custom_id', 100);
    case ComponentType.RadioGroup:
    case ComponentType.CheckboxGroup: {
      const isRadio = part['type'] === ComponentType.RadioGroup;
      const count = Array.isArray(part['options']) ? part['options'].length : 0;
      list('options', 10);
      if (isRadio && count === 1) report([...path, 'options'], 'Must be at least 2.');
      checkOptions(part, path, report);
      return text('custom_id', 100);
    }
    case ComponentType.Checkbox:
      return text('custom_id', 100);
    case ComponentType.Label:
      text('label', 45);
      return text('description', 100, 0, false);
    case ComponentType.TextDisplay:
      return text('content', MOST_TEXT);
    case ComponentType.Section:
      if (!part['accessory']) {
        report([...path, 'accessory'], 'This field is required', 'BASE_TYPE_REQUIRED');
      }
      return list('components', 3);
    case ComponentType.Thumbnail:
      return checkMedia(part, 'media', path, report);
    case ComponentType.File:
      return checkMedia(part, 'file', path, report);
    case ComponentType.MediaGallery: {
      list('items', 10);
      const items = Array.isArray(part['items']) ? (part['items'] as Part[]) : [];
      items.forEach((item, at) => checkMedia(item, 'media', [...path, 'items', at], report));
      return;
    }
    case ComponentType.Separator:
      return;
    case ComponentType.Container:
      return list('components', MOST_PARTS);
    default:
      report([...path, 'type'], 'Unknown component type.', 'BASE_TYPE_CHOICES');
  }
}

/** A picture or file is named by its address; a file by that of one that is sent with it. */
function checkMedia(part: Part, key: string, path: PropertyKey[], report: Report): void {
  const { url } = (part[key] ?? {}) as { url?: unknown };
  const pattern = key === 'file' ? /^attachment:\/\/\S+$/ : /^(?:https?|attachment):\/\/\S+$/i;
  if (typeof url === 'string' && pattern.test(url)) return;
  report([...path, key, 'url'], 'Not a well formed URL.', 'URL_TYPE_INVALID_URL');
}

/** Its own emoji, or a custom one by its id. */
function checkEmoji({ emoji }: Part, path: PropertyKey[], report: Report): void {
  const { id, name } = (emoji ?? {}) as { id?: string; name?: string };
  if (!emoji || id || parseEmoji(name ?? '')) return;
  report([...path, 'emoji', 'name'], 'Invalid emoji', 'COMPONENT_INVALID_EMOJI');
}

function textOf(part: Part, key: string): string {
  const value = part[key];
  return typeof value === 'string' ? value : '';
}

const OF_SELECT: Record<number, string> = {
  [ComponentType.UserSelect]: 'user',
  [ComponentType.RoleSelect]: 'role',
  [ComponentType.ChannelSelect]: 'channel',
};

/** How many entries of a select can be chosen, and how many are chosen already. */
function checkChosen(part: Part, path: PropertyKey[], report: Report, atMost = 25): void {
  const listed = (key: string): Part[] | undefined =>
    Array.isArray(part[key]) ? (part[key] as Part[]) : undefined;
  const [min, most] = [Number(part['min_values'] ?? 1), Number(part['max_values'] ?? 1)];
  const options = listed('options');
  if (most > (options?.length ?? atMost)) {
    report([...path, 'max_values'], 'Must not be above the number of entries.');
  }
  if (min > most) report([...path, 'min_values'], 'Must not be above max_values.');
  if ((options ?? []).filter((one) => one['default'] === true).length > most) {
    report([...path, 'options'], 'More entries are chosen than can be.');
  }
  const defaults = listed('default_values') ?? [];
  const kind = OF_SELECT[Number(part['type'])];
  if (kind !== undefined && defaults.some(({ type }) => type !== kind)) {
    report([...path, 'default_values'], `Only entries of the type ${kind} can be chosen.`);
  }
  if (defaults.length > most) {
    report([...path, 'default_values'], 'More is chosen than can be.');
  }
}

function checkOptions(part: Part, path: PropertyKey[], report: Report): void {
  const options = Array.isArray(part['options']) ? (part['options'] as Part[]) : [];
  const values = new Set<unknown>();
  options.forEach((option, index) => {
    checkEmoji(option, [...path, 'options', index], report);
    for (const key of ['label', 'value', 'description']) {
      const value = option[key];
      if (key === 'description' && (value === undefined || value === null)) continue;
      const isBlank = key === 'label' && !textOf(option, key).trim();
      if (typeof value === 'string' && value !== '' && value.length <= 100 && !isBlank) continue;
      const message = 'Must be between 1 and 100 in length.';
      report([...path, 'options', index, key], message, 'BASE_TYPE_BAD_LENGTH');
    }
    if (values.has(option['value'])) {
      const message = 'The specified option value is already used';
      report(
        [...path, 'options', index, 'value'],
        message,
        'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
      );
    }
    values.add(option['value']);
  });
}

/** A field stands in a label or, as it was before, in a row and has a label of its own. */
const zRows = partsOf([ComponentType.Label, ComponentType.ActionRow, ComponentType.TextDisplay], {
  [ComponentType.Label]: [ComponentType.TextInput, ...SELECTS, ...OF_FORMS],
  [ComponentType.ActionRow]: [ComponentType.TextInput],
}).pipe(
  z
    .array(z.looseObject({ type: z.int() }))
    .min(1)
    .max(5),
);

export const zModal = z.object({
  custom_id: z.string().min(1).max(100),
  title: z.string().max(45).regex(/\S/, 'This field is required'),
  components: zRows
    .superRefine((rows, context) => {
      const report: Report = (path, message) =>
        context.addIssue({ code: 'custom', path, message, params: { code: 'BASE_TYPE_INVALID' } });
      const walk = (part: Part, path: PropertyKey[], isInRow = false): void => {
        if (part['disabled'] === true) report([...path, 'disabled'], 'Nothing is off in a form.');
        if (part['type'] === ComponentType.TextInput) checkField(part, path, report, isInRow);
        else if (isInRow) report([...path, 'type'], 'A row of a form has one text field.');
        if (part['required'] !== false && part['min_values'] === 0) {
          report([...path, 'min_values'], 'Must be at least 1 where something is required.');
        }
        const isRow = part['type'] === ComponentType.ActionRow;
        children(part).forEach(({ child, at }) => walk(child, [...path, ...at], isRow));
      };
      rows.forEach((row, index) => walk(row, [index]));
    })
    .transform((rows) => knownParts(rows)),
});

function checkField(field: Part, path: PropertyKey[], report: Report, isInRow: boolean): void {
  const label = textOf(field, 'label');
  if (isInRow && (label.trim() === '' || label.length > 45)) {
    report([...path, 'label'], 'Must be between 1 and 45 in length.');
  }
  if (!isInRow && label) report([...path, 'label'], 'A field is named by the label around it.');
  if (![1, 2].includes(field['style'] as number)) {
    report([...path, 'style'], 'Value must be one of {1, 2}.');
  }
  const most = Number(field['max_length'] ?? MOST_TEXT);
  if (most < 1 || most > MOST_TEXT) report([...path, 'max_length'], 'Must be from 1 to 4000.');
  if (Number(field['min_length'] ?? 0) > most) {
    report([...path, 'min_length'], 'Must not be above max_length.');
  }
  if (textOf(field, 'value').length > most) {
    report([...path, 'value'], `Must be ${most} or fewer in length.`);
  }
}
