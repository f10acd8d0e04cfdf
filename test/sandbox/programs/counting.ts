// Uses the state from a process of its own: counts in it a given number of times, or until it is killed, and prints the
// number of each change that the state has accepted.

import { openState } from '../../../src/sandbox/store/store.ts';

const [stateDir = '', name = '', times = ''] = process.argv.slice(2);
const state = await openState({ stateDir, now: Date.now });
const limit = times === '' ? Number.POSITIVE_INFINITY : Number(times);

for (let i = 1; i <= limit; i++) {
  await state.run((records) => {
    const total = Number(records.get('audience', 'total')?.name ?? 0);
    records.put('audience', 'total', { id: 'total', name: String(total + 1) });
    records.put('audience', name, { id: name, name: String(i) });
    // The file grows.
    records.put('audience', `${name} ${i}`, { id: name, name });
  });
  // This waits until the system has the line: a buffered line would be lost with the process.
  await new Promise((resolve) => process.stdout.write(`${i}\n`, resolve));
}
