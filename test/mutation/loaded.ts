// Loads what is mutated before the first test: what happens while a file is loaded is then judged by every test, and
// not by the one that happened to load it first.

import { areas } from './areas.mjs';

const { mutate } = areas[process.env['MUTATION_AREA'] as keyof typeof areas];

await Promise.all(mutate.map((file) => import(`../../${file}`)));
