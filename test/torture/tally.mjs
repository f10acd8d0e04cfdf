// What a journal knows of its records.

import { readFileSync } from 'node:fs';

/** How many records there are, how many are done, and of how many the outcome is unknown. */
export function tally(journal) {
  const ends = new Map();
  for (const line of readFileSync(journal, 'utf8').split('\n').filter(Boolean)) {
    const entry = JSON.parse(line.slice(9));
    if (entry.send) ends.set(entry.send, 'unknown');
    if (entry.end) ends.set(entry.end, entry.as);
  }
  const count = (as) => [...ends.values()].filter((each) => each === as).length;
  return { keys: ends.size, done: count('done'), unknown: count('unknown') };
}
