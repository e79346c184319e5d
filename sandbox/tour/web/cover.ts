import type { Motif } from '../known-page.ts';

const WIDTH = 800;
const HEIGHT = 420;

/** Ground, hill, and light of a picture. */
const PALETTES = [
  ['#1b2a4e', '#e0647a', '#ffb36b'],
  ['#0f3d3e', '#2fa38a', '#f2e9c9'],
  ['#3a1c71', '#d76d77', '#ffaf7b'],
  ['#102a43', '#2b6cb0', '#90cdf4'],
  ['#2d1b36', '#a0528f', '#f6c6d0'],
  ['#14342b', '#60935d', '#f2d388'],
  ['#40241a', '#c8553d', '#f4d6a0'],
  ['#1a1f3b', '#5865f2', '#b9c4ff'],
  ['#07323f', '#0e9aa7', '#f6d55c'],
  ['#3b2618', '#b98b4e', '#f7ead0'],
] as const;

type Colours = (typeof PALETTES)[number];
type Next = () => number;

/** A picture for a page, drawn from its address: always the same one for the same page. */
export function cover(address: string, wanted?: Motif): string {
  const next = sequence(address);
  const colours = PALETTES[Math.floor(next() * PALETTES.length)] ?? PALETTES[0];
  const names = Object.keys(MOTIFS) as Motif[];
  const chosen = names[Math.floor(next() * names.length)] ?? 'hills';
  const motif = MOTIFS[wanted ?? chosen];
  const [ground, middle] = colours;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}"><defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="${ground}"/><stop offset="1" stop-color="${middle}"/></linearGradient></defs><rect width="${WIDTH}" height="${HEIGHT}" fill="url(#g)"/>${motif(colours, next)}</svg>`;
}

const MOTIFS = { hills, hexagons, network, rings, bars } satisfies Record<
  Motif,
  (colours: Colours, next: Next) => string
>;

function hills([ground, middle, light]: Colours, next: Next): string {
  const sun = `<circle cx="${240 + next() * 320}" cy="${130 + next() * 60}" r="52" fill="${light}"/>`;
  const ranges = [ground, middle, ground].map((colour, at) => {
    const base = 230 + at * 65;
    const points = Array.from({ length: 9 }, (_, x) => `${x * 100},${base - next() * 90}`).join(
      ' L',
    );
    return `<path d="M0,${HEIGHT} L0,${base} L${points} L${WIDTH},${HEIGHT}Z" fill="${colour}" opacity="${0.55 + at * 0.2}"/>`;
  });
  return sun + ranges.join('');
}

function hexagons([ground, , light]: Colours, next: Next): string {
  const size = 58;
  const corners = Array.from({ length: 6 }, (_, at) => {
    const angle = (Math.PI / 3) * at;
    return `${size * Math.cos(angle)},${size * Math.sin(angle)}`;
  }).join(' ');
  const cells = [];
  for (let column = 0; column < 11; column += 1) {
    for (let row = 0; row < 6; row += 1) {
      const x = column * size * 1.5;
      const y = (row + (column % 2) / 2) * size * 1.732;
      const chance = next();
      const fill = chance < 0.16 ? light : chance < 0.4 ? ground : 'none';
      cells.push(
        `<polygon points="${corners}" transform="translate(${x} ${y})" fill="${fill}" fill-opacity=".8" stroke="${light}" stroke-opacity=".5" stroke-width="3"/>`,
      );
    }
  }
  return cells.join('');
}

function network([, , light]: Colours, next: Next): string {
  const layers = [3, 5, 5, 3].map((count, layer) =>
    Array.from({ length: count }, (_, at) => ({
      x: 130 + layer * 180,
      y: HEIGHT / 2 + (at - (count - 1) / 2) * 76,
    })),
  );
  const lines = layers.flatMap((nodes, layer) =>
    nodes.flatMap((from) =>
      (layers[layer + 1] ?? []).map(
        (to) =>
          `<path d="M${from.x},${from.y} L${to.x},${to.y}" stroke="${light}" stroke-width="${1 + next() * 4}" opacity="${0.15 + next() * 0.5}"/>`,
      ),
    ),
  );
  const dots = layers
    .flat()
    .map(({ x, y }) => `<circle cx="${x}" cy="${y}" r="21" fill="${light}"/>`);
  return lines.join('') + dots.join('');
}

function rings([ground, middle, light]: Colours, next: Next): string {
  const [x, y] = [WIDTH / 2, HEIGHT / 2];
  const circles = [170, 130, 92, 56].map((radius, at) => {
    const dash = `${10 + next() * 60} ${6 + next() * 26}`;
    const colour = at % 2 === 0 ? light : ground;
    return `<circle cx="${x}" cy="${y}" r="${radius}" fill="none" stroke="${colour}" stroke-width="18" stroke-dasharray="${dash}"/>`;
  });
  return `${circles.join('')}<circle cx="${x}" cy="${y}" r="22" fill="${middle}" stroke="${light}" stroke-width="8"/>`;
}

function bars([ground, , light]: Colours, next: Next): string {
  return Array.from({ length: 9 }, (_, at) => {
    const height = 60 + next() * 250;
    const fill = at === 6 ? light : ground;
    return `<rect x="${76 + at * 74}" y="${HEIGHT - 50 - height}" width="52" height="${height}" rx="8" fill="${fill}" opacity=".85"/>`;
  }).join('');
}

/** Numbers from 0 to 1 that follow from a text. */
function sequence(text: string): Next {
  let state = Array.from(text).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
