import type { APIEmbed } from 'discord-api-types/v10';
import type { Fault } from '../compare.ts';
import { componentFaults, type Part, textFaults } from './components.ts';

export type Message = {
  embeds?: APIEmbed[] | null;
  components?: Part[] | null;
  attachments?: { id: string }[] | null;
};

/** `files` are the fields of the request that hold files. */
export function* messageFaults(
  { embeds, components, attachments }: Message,
  path: string,
  files: string[],
): Iterable<Fault> {
  for (const [index, embed] of (embeds ?? []).entries()) {
    if (!shows(embed)) yield { path: `${path}.embeds[${index}]`, why: 'shows nothing' };
  }
  for (const [index, { id }] of (attachments ?? []).entries()) {
    // A file that the message has already is named by its snowflake, a new one by its number.
    if (id.length >= 15 || files.includes(`files[${id}]`)) continue;
    yield { path: `${path}.attachments[${index}].id`, why: `is ${id}, but there is no such file` };
  }
  yield* componentFaults(components ?? [], `${path}.components`);
  yield* textFaults(components ?? [], `${path}.components`);
}

function shows(embed: APIEmbed): boolean {
  const { title, description, author, footer, image, thumbnail, timestamp, fields } = embed;
  const texts = [title, description].map((text) => text?.trim());
  const others = [author, footer, image, thumbnail, timestamp, fields?.length];
  return [...texts, ...others].some(Boolean);
}
