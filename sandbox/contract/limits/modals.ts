import { ComponentType } from 'discord-api-types/v10';
import type { Fault } from '../compare.ts';
import { componentFaults, type Part, walk } from './components.ts';

export type Modal = { title: string; components: Part[] };

export function* modalFaults({ title, components }: Modal, path: string): Iterable<Fault> {
  if (!title.trim()) yield { path: `${path}.title`, why: 'is blank' };
  yield* componentFaults(components, `${path}.components`);
  for (const { part, path: at, parent } of walk(components, `${path}.components`)) {
    if (part.disabled) yield { path: `${at}.disabled`, why: 'is not for a form' };
    if (part.type === ComponentType.TextInput) yield* fieldFaults(part, at, parent);
  }
}

function* fieldFaults(field: Part, path: string, parent: Part | undefined): Iterable<Fault> {
  const inRow = parent?.type === ComponentType.ActionRow;
  if (inRow && !field.label) yield { path: `${path}.label`, why: 'is missing' };
  if (!inRow && field.label) yield { path: `${path}.label`, why: 'is that of the label around it' };
  const longest = field.max_length ?? 4000;
  if ((field.min_length ?? 0) > longest) {
    yield { path: `${path}.min_length`, why: 'is above max_length' };
  }
  if ((field.value?.length ?? 0) > longest) {
    yield { path: `${path}.value`, why: `is longer than ${longest}` };
  }
}
