import { nameOf, state } from '../state/state.ts';

const COLOURS = [
  ['#5865f2', '#8b94ff'],
  ['#1f8b6c', '#45c79d'],
  ['#c2410c', '#fb923c'],
  ['#be185d', '#f472b6'],
  ['#7c3aed', '#b794f6'],
  ['#0e7490', '#22b8cf'],
  ['#a16207', '#eab308'],
  ['#b91c1c', '#f87171'],
  ['#4d7c0f', '#94c93d'],
  ['#1d4ed8', '#60a5fa'],
  ['#9d174d', '#e879b9'],
  ['#065f46', '#34d399'],
] as const;

const known = new Map<string, string>();

/** Draws a picture for a user, so that no other host is asked for one. */
function avatarOf(id: string, name: string): string {
  const found = known.get(`${id} ${name}`);
  if (found !== undefined) return found;
  const letters = Array.from(name);
  const sum = letters.reduce((all, letter) => (all * 31 + (letter.codePointAt(0) ?? 0)) >>> 0, 7);
  const [dark, light] = COLOURS[sum % COLOURS.length] ?? COLOURS[0];
  const letter = letters[0]?.toUpperCase() ?? '?';
  const drawn = picture(
    `<linearGradient id="g" x2="1" y2="1"><stop stop-color="${light}"/><stop offset="1" stop-color="${dark}"/></linearGradient>`,
    `<rect width="80" height="80" fill="url(#g)"/><text x="40" y="54" font-family="system-ui,sans-serif" font-size="38" font-weight="600" fill="#fff" text-anchor="middle">${escaped(letter)}</text>`,
  );
  known.set(`${id} ${name}`, drawn);
  return drawn;
}

/** The bot's picture, which the caller of the page gives. */
let botAvatar = avatarOf('', 'Bot');

export function faceOf(id: string): string {
  return id === state.botId ? botAvatar : avatarOf(id, nameOf(id));
}

export function setBotAvatar(address: string): void {
  botAvatar = address;
}

function picture(definitions: string, shapes: string): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80"><defs>${definitions}</defs>${shapes}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

function escaped(letter: string): string {
  return letter.replace(/[<>&"]/g, '');
}

// Before the components are loaded: without this they take their avatars from Discord's own host.
Object.assign(globalThis, {
  $discordMessage: {
    avatars: Object.fromEntries(
      ['blue', 'gray', 'green', 'orange', 'red', 'pink', 'default'].map((name) => [
        name,
        botAvatar,
      ]),
    ),
  },
});
