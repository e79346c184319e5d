import { h } from './api.js';
import { channelName, nameOf, roleName } from './state.js';

/** The inline parts of Discord's markdown that the bot's messages use; the first that matches counts. */
const PARTS = [
  [/^\\([^\w\s])/, ([, character]) => character],
  [/^`([^`]+)`/, ([, code]) => h('code', {}, code)],
  [/^\*\*(.+?)\*\*/s, ([, text]) => h('strong', {}, ...inline(text))],
  [/^__(.+?)__/s, ([, text]) => h('u', {}, ...inline(text))],
  [/^~~(.+?)~~/s, ([, text]) => h('s', {}, ...inline(text))],
  [/^\*(\S.*?)\*/s, ([, text]) => h('em', {}, ...inline(text))],
  [/^<@!?(\d+)>/, ([, id]) => mention(`@${nameOf(id)}`)],
  [/^<@&(\d+)>/, ([, id]) => mention(`@${roleName(id)}`)],
  [/^<#(\d+)>/, ([, id]) => h('a', { class: 'mention', href: `#${id}` }, `#${channelName(id)}`)],
  [/^<t:(-?\d+)(?::(\w))?>/, ([, seconds, style]) => time(Number(seconds) * 1000, style)],
  [/^<\/([^:>]+):\d+>/, ([, command]) => mention(`/${command}`)],
  [/^\[([^\]\n]+)\]\(<?(https?:\/\/[^\s>)]+)>?\)/, ([, text, url]) => link(url, inline(text))],
  [/^<(https?:\/\/[^\s>]+)>/, ([, url]) => link(url, [url])],
  [/^https?:\/\/[^\s<]+[^\s<.,:;"')\]]/, ([url]) => link(url, [url])],
];

export function markdown(text) {
  const lines = text.split('\n').map((line) => {
    const heading = /^(#{1,3}) (.+)/.exec(line);
    if (heading !== null) return h('strong', {}, ...inline(heading[2]));
    if (line.startsWith('> ')) return h('blockquote', {}, ...inline(line.slice(2)));
    if (line.startsWith('-# ')) return h('small', {}, ...inline(line.slice(3)));
    return h('span', {}, ...inline(line));
  });
  return lines.flatMap((line, index) => (index === 0 ? [line] : ['\n', line]));
}

function inline(text) {
  const parts = [];
  let plain = '';
  for (let rest = text; rest !== ''; ) {
    const found = PARTS.map(([pattern, make]) => ({ match: pattern.exec(rest), make })).find(
      ({ match }) => match !== null,
    );
    if (found === undefined) {
      plain += rest[0];
      rest = rest.slice(1);
      continue;
    }
    if (plain !== '') parts.push(plain);
    plain = '';
    parts.push(found.make(found.match));
    rest = rest.slice(found.match[0].length);
  }
  return plain === '' ? parts : [...parts, plain];
}

function mention(text) {
  return h('span', { class: 'mention' }, text);
}

/** A link into this Discord jumps within the page; any other opens apart and tells nothing. */
export function link(url, children) {
  const jump = /^https:\/\/discord\.com\/channels\/[^/]+\/(\d+)(?:\/(\d+))?/.exec(url);
  const bare = children.length === 1 && children[0] === url;
  if (jump !== null && bare) children = [`#${channelName(jump[1])}${jump[2] ? ' › 💬' : ''}`];
  if (jump !== null)
    return h('a', { href: `#${jump[1]}${jump[2] ? `/${jump[2]}` : ''}` }, ...children);
  return h('a', { href: url, target: '_blank', rel: 'noreferrer noopener' }, ...children);
}

let nowMs = () => Date.now();
export function setNow(now) {
  nowMs = now;
}

function time(ms, style) {
  const date = new Date(ms);
  const shown = style === 'R' ? relative(ms - nowMs()) : date.toLocaleString();
  return h('time', { datetime: date.toISOString(), title: date.toLocaleString() }, shown);
}

function relative(ms) {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1000],
  ];
  const [unit, size] = units.find(([, one]) => Math.abs(ms) >= one) ?? units[3];
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(Math.round(ms / size), unit);
}
