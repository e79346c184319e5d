import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type Mutant, mutants } from './mutants.ts';
import { openCopy } from './scratch-copy.ts';
import { apply, notFound, tryMutant, type Verdict } from './try-mutant.ts';

const usage = `npm run mutants -- [--side-by-side <copies>] [--skip-first] [word …]

Makes small mistakes in a copy of the working tree, one after the other, and says whether the quick tests of
the room that they are in notice. Words choose the mutants of a room, or whose file or description has one of them.
--skip-first  does not look first whether the tests are green without a mistake`;

const sizes = {
  type: 'string',
  default: String(Math.max(1, Math.floor(cpus().length / 2))),
} as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'side-by-side': sizes,
    'skip-first': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit();
}
const isWanted = ({ room, file, breaks }: Mutant): boolean =>
  positionals.length === 0 ||
  positionals.some((word) => room === word || file.includes(word) || breaks.includes(word));
const chosen = mutants.filter(isWanted);

const lost = chosen.filter(notFound);
if (lost.length > 0) {
  console.error('The code of these has moved. Write them anew, or take them out:');
  for (const { file, breaks, from } of lost) console.error(`  ${file}: ${breaks}\n    ${from}`);
  process.exit(1);
}

const copies = Math.min(Number(values['side-by-side']), chosen.length);
const verdicts = new Map<Mutant, Verdict>();
const left = [...chosen];
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

async function work(): Promise<void> {
  const copy = await openCopy();
  try {
    for (let mutant = left.shift(); mutant && !stopping.signal.aborted; mutant = left.shift()) {
      const restore = apply(copy, mutant);
      const verdict = await tryMutant(copy, mutant.tests, stopping.signal).finally(restore);
      if (stopping.signal.aborted) return;
      verdicts.set(mutant, verdict);
      const by = verdict.by === null ? '' : `\n           ${verdict.by}`;
      console.log(`${verdict.status.padEnd(10)} ${mutant.room}: ${mutant.breaks}${by}`);
    }
  } finally {
    await copy.remove();
  }
}

async function isGreen(): Promise<boolean> {
  const copy = await openCopy();
  try {
    const tests = [...new Set(chosen.flatMap(({ tests }) => tests))];
    const { status, by } = await tryMutant(copy, tests, stopping.signal, 30 * 60_000);
    if (status !== 'survived') console.error(`Red without a mutant: ${by}`);
    return status === 'survived';
  } finally {
    await copy.remove();
  }
}

// What is red without a mutant says nothing about one.
if (!values['skip-first'] && !(await isGreen())) process.exit(1);
await Promise.all(Array.from({ length: copies }, work));

const rooms = [...new Set([...verdicts.keys()].map(({ room }) => room))].toSorted();
const rateOf = (of: Verdict[]) => {
  const killed = of.filter(({ status }) => status !== 'survived').length;
  const late = of.filter(({ status }) => status === 'timed out').length;
  const share = Math.round((100 * killed) / of.length);
  return `${killed} of ${of.length} (${share} %)${late === 0 ? '' : `, ${late} by a time-out`}`;
};
console.log('\nNoticed:');
for (const room of rooms) {
  const ofRoom = [...verdicts].filter(([mutant]) => mutant.room === room).map(([, one]) => one);
  console.log(`${room.padEnd(12)} ${rateOf(ofRoom)}`);
}
console.log(`${'all'.padEnd(12)} ${rateOf([...verdicts.values()])}`);
const survivors = [...verdicts].filter(([, { status }]) => status === 'survived');
if (survivors.length > 0) console.log('\nSurvived:');
for (const [{ file, breaks }] of survivors) console.log(`${file}: ${breaks}`);
