import { ButtonStyle, ComponentType } from 'discord-api-types/v10';
import type { Fault } from '../compare.ts';

export type Part = {
  type: ComponentType;
  id?: number | null;
  components?: Part[] | null;
  accessory?: Part | null;
  component?: Part | null;
  custom_id?: string | null;
  label?: string | null;
  /** Of a button. */
  style?: number | null;
  url?: string | null;
  /** Of a select. */
  options?: { label: string; default?: boolean | null }[] | null;
  default_values?: unknown[] | null;
  min_values?: number | null;
  max_values?: number | null;
  disabled?: boolean | null;
  /** Of a text. */
  content?: string | null;
  /** Of a text field. */
  value?: string | null;
  min_length?: number | null;
  max_length?: number | null;
};

type Placed = { part: Part; path: string; parent: Part | undefined };

const SELECTS = [
  ComponentType.StringSelect,
  ComponentType.UserSelect,
  ComponentType.RoleSelect,
  ComponentType.MentionableSelect,
  ComponentType.ChannelSelect,
];

/** What holds in a message and in a form. */
export function* componentFaults(components: Part[], path: string): Iterable<Fault> {
  const ids = new Set<number>();
  for (const { part, path: at } of walk(components, path)) {
    yield* partFaults(part, at);
    // Discord gives a part without an id or with 0 one of its own.
    if (!part.id) continue;
    if (ids.has(part.id)) yield { path: `${at}.id`, why: 'is another part’s id' };
    ids.add(part.id);
  }
}

export function textFaults(components: Part[], path: string): Fault[] {
  const texts = [...walk(components, path)].map(({ part }) => part.content ?? '');
  const length = texts.join('').length;
  return length > 4000 ? [{ path, why: `have ${length} characters of text, not 4000` }] : [];
}

/** Every part, from the outermost to the inmost. */
export function* walk(parts: Part[], path: string, parent?: Part): Iterable<Placed> {
  for (const [index, part] of parts.entries()) {
    yield* within(part, `${path}[${index}]`, parent);
  }
}

function* within(part: Part, path: string, parent?: Part): Iterable<Placed> {
  yield { part, path, parent };
  yield* walk(part.components ?? [], `${path}.components`, part);
  for (const key of ['accessory', 'component'] as const) {
    const child = part[key];
    if (child) yield* within(child, `${path}.${key}`, part);
  }
}

function* partFaults(part: Part, path: string): Iterable<Fault> {
  if (part.label && !part.label.trim()) yield { path: `${path}.label`, why: 'is blank' };
  if (part.type === ComponentType.Button) yield* buttonFaults(part, path);
  if (SELECTS.includes(part.type)) yield* selectFaults(part, path);
}

function* buttonFaults({ style, url, custom_id }: Part, path: string): Iterable<Fault> {
  if (style !== ButtonStyle.Link) {
    if (url) yield { path: `${path}.url`, why: 'is for a link alone' };
    return;
  }
  if (custom_id) yield { path: `${path}.custom_id`, why: 'is not for a link' };
  if (url && !/^(?:https?|discord):/i.test(url)) {
    yield { path: `${path}.url`, why: 'must be of http, https or discord' };
  }
}

function* selectFaults(part: Part, path: string): Iterable<Fault> {
  const { options, default_values, min_values, max_values } = part;
  const most = max_values ?? 1;
  if (options && most > options.length) {
    yield { path: `${path}.max_values`, why: `is above the ${options.length} entries` };
  }
  if ((min_values ?? 1) > most) yield { path: `${path}.min_values`, why: 'is above max_values' };
  if ((options?.filter((one) => one.default === true).length ?? 0) > most) {
    yield { path: `${path}.options`, why: 'have more defaults than max_values' };
  }
  if ((default_values?.length ?? 0) > most) {
    yield { path: `${path}.default_values`, why: 'are more than max_values' };
  }
  for (const [index, { label }] of (options ?? []).entries()) {
    if (!label.trim()) yield { path: `${path}.options[${index}].label`, why: 'is blank' };
  }
}
