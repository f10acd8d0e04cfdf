// An adversary of the built program, with servers, proxies, links, pipes and signals of its own. It shares no code with
// the program and looks for the next hole: what was found so far are rows of the fault table.
// `npm run adversary -- [section...] [--seed n] [--minutes m] [--rounds n] [--slack n] [--json]`: three minutes for
// each section without more, `--rounds` instead of time. ADVERSARY_PROGRAM names the bin/social.js of another tree.
// Ends with 1 where something did not hold, with the line that shows it again.

import { parseArgs } from 'node:util';
import { trial } from './trial.mjs';

const names = ['kills', 'answers', 'keys', 'secrets', 'links', 'proxies', 'fifos', 'stopped'];
const WORKERS = 2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    minutes: { type: 'string', default: '3' },
    rounds: { type: 'string' },
    slack: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
/** How many times as long as usual an end may take: other work keeps a machine busy. */
const slack = Number(values.slack);
const rounds = values.rounds === undefined ? Infinity : Number(values.rounds);
const chosen = positionals.length > 0 ? positionals : [...names];
const strange = chosen.filter((name) => !names.includes(name));
if (strange.length > 0 || [seed, minutes, rounds, slack].some(Number.isNaN)) {
  console.error(
    `usage: npm run adversary -- [${names.join('|')}]... [--seed n] [--minutes m] [--rounds n]`,
  );
  chosen.length = 0;
  process.exitCode = 2;
}

/** Runs rounds of one section, two at a time, until its time or its number is over. */
async function runSection(name) {
  const { round } = await import(`./${name}.mjs`);
  const began = performance.now();
  const end = rounds === Infinity ? began + minutes * 60_000 : Infinity;
  const figures = { section: name, rounds: 0, runs: 0, checks: 0, failures: [] };
  const work = async () => {
    while (figures.rounds < rounds && performance.now() < end) {
      const number = figures.rounds++;
      await trial(round, seed + number, figures, slack);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return { ...figures, seconds: (performance.now() - began) / 1000 };
}

function tell({ section, failures, seconds, ...counts }) {
  const told = Object.entries(counts).map(([what, count]) => `${what} ${count}`);
  const state = failures.length === 0 ? 'held' : `FAILED ${failures.length}`;
  console.log(
    `${section.padEnd(8)} ${state.padEnd(10)} ${told.join('  ')}  ${seconds.toFixed(1)} s`,
  );
  const seen = new Map();
  for (const failure of failures) {
    const times = seen.get(failure.what) ?? 0;
    seen.set(failure.what, times + 1);
    if (times > 0) continue;
    const many = failures.filter(({ what }) => what === failure.what).length;
    console.log(`  not so: ${failure.what} (${many} times)\n    ${failure.detail.join('\n    ')}`);
    console.log(`    again: npm run adversary -- ${section} --seed ${failure.seed} --rounds 1`);
  }
}

if (!values.json) console.log(`seed ${seed}`);
const all = [];
for (const name of chosen) {
  const figures = await runSection(name);
  all.push(figures);
  if (!values.json) tell(figures);
}
if (values.json) console.log(JSON.stringify(all));
if (all.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
