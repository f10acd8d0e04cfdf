// Uses the state from a process of its own: counts in it a given number of times.

import { openState } from '../../../src/sandbox/store/store.ts';

const [stateDir = '', name = '', times = ''] = process.argv.slice(2);
const state = await openState({ stateDir, now: Date.now });

for (let i = 1; i <= Number(times); i++) {
  await state.run((records) => {
    const total = Number(records.get('audience', 'total')?.name ?? 0);
    records.put('audience', 'total', { id: 'total', name: String(total + 1) });
    records.put('audience', name, { id: name, name: String(i) });
  });
}
