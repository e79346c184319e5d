import type { APIEmbed, APIMessage } from 'discord-api-types/v10';
import { translate } from '../../src/text/catalogue.ts';
import { readArticleMessage } from '../../src/articles/messages/article-message.ts';

/** What hides or reorders text, breaks a line, or has no shape. */
export const hidden = new RegExp(
  [
    '[\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f]',
    '[\\u115f\\u1160\\u200b\\u2028\\u2029\\u202a-\\u202e\\u2060-\\u2069\\u2800\\u3164\\ufeff]',
    '[\\ud800-\\udbff](?![\\udc00-\\udfff])',
    '(?<![\\ud800-\\udbff])[\\udc00-\\udfff]',
  ].join('|'),
);
/** More marks on one letter than any script needs. */
const piledUp = /\p{M}{5}/u;

/** What is wrong with a message, a sentence each. */
export function faultsOf(message: APIMessage | undefined): string[] {
  if (!message) return ['There is no message.'];
  const { mention_everyone: everyone, mentions, mention_roles: roles } = message;
  const faults = everyone || mentions.length + roles.length > 0 ? ['It pings.'] : [];
  for (const text of texts(message)) faults.push(...faultsIn(text));
  for (const text of parsed(message)) {
    const ours = withoutTrueLinks(withoutOwnLink(text, message), message);
    const plain = ours.replace(/`[^`]*`|\\[\s\S]/g, '');
    // The only links are ours: to messages of this server, and to pages whose host stands beside.
    const parsedByDiscord = /`|\]\(|@everyone|@here|<@1>|<@&1>|<#1>|https:\/\/evil\.example/;
    if (parsedByDiscord.test(plain)) faults.push(`Discord parses a part of it: ${text}`);
  }
  return faults;
}

/** Without the links of lists, which say where they lead: each, or all of a digest at its end. */
function withoutTrueLinks(text: string, { embeds }: APIMessage): string {
  const link = /\[((?:\\.|[^\]\\])*)\]\(<?(https:\/\/[^\s()<>]+)>?\)(?: · | |$)(\S*)/gm;
  return text.replace(link, (whole, title: string, address: string, beside: string, at: number) => {
    const { host, hostname } = new URL(address);
    const shown = beside.replace(/^…/, '').replaceAll('\\', '');
    // Where the title is the address itself, it stands before the link.
    const before = ` ${text.slice(text.lastIndexOf('\n', at) + 1, at)}`;
    const isNamed = before.includes(` ${host}/`) || before.endsWith(` ${host} · `);
    const isBeside = shown !== '' && host.replace(/^www\./, '').endsWith(shown);
    const ofAll = translate('en', 'digest.all.from', { host });
    const isOfAll = embeds.some(({ description }) => description?.includes(`\n-# ${ofAll} · `));
    const isTrue = isNamed || isBeside || isOfAll;
    return isTrue || hostname === 'discord.com' ? title : whole;
  });
}

/** An article's message leads where it says: its link is ours. */
function withoutOwnLink(text: string, message: APIMessage): string {
  const link = readArticleMessage(message)?.link;
  if (link === undefined) return text;
  return text.replace(`](${link})`, '').replace(`](<${link}>)`, '').replace(link, '');
}

/** What is wrong with one text, wherever it stands. */
export function faultsIn(text: string): string[] {
  const faults: string[] = [];
  if (hidden.test(text)) faults.push(`It holds what has no shape: ${JSON.stringify(text)}`);
  if (piledUp.test(text)) faults.push(`Marks pile up: ${text}`);
  if (text.includes('Something went wrong')) faults.push('It is a fault.');
  return faults;
}

/** What is wrong with the choices of a completion: Discord takes none of them then. */
export function faultsOfChoices(choices: readonly { name: string; value: unknown }[]): string[] {
  const faults = choices.length > 25 ? ['There are too many.'] : [];
  for (const { name, value } of choices) {
    if (name.length === 0 || name.length > 100) faults.push(`The name is too long: ${name}`);
    if (String(value).length > 100) faults.push(`The value is too long: ${String(value)}`);
    faults.push(...faultsIn(name));
  }
  return faults;
}

function texts({ content, embeds, components }: APIMessage): string[] {
  return [content, ...embeds.flatMap(textsOf), JSON.stringify(components ?? [])].filter(
    (text): text is string => typeof text === 'string' && text !== '',
  );
}

function textsOf({ title, description, author, footer, fields = [] }: APIEmbed) {
  const named = fields.flatMap(({ name, value }) => [name, value]);
  return [title, description, author?.name, footer?.text, ...named];
}

/** Where Discord parses markdown and mentions; titles, names of fields and footers are plain. */
function parsed({ content, embeds }: APIMessage): string[] {
  return [
    content,
    ...embeds.flatMap(({ description = '', fields = [] }) => [
      description,
      ...fields.map(({ value }) => value),
    ]),
  ];
}
