// Loads what is mutated before the first test. What happens while a file is loaded can be changed only before that.

import { inject } from 'vitest';
import areas from './areas.json';
import { counters } from './log.ts';

counters.activeMutant = (inject as (key: string) => string | undefined)('mutant');
const { mutate } = areas[process.env['MUTATION_AREA'] as keyof typeof areas];
if (counters.activeMutant === undefined)
  await Promise.all(mutate.map((file) => import(/* @vite-ignore */ `../../${file}`)));
