// names.json, the names that stand for IDs on this machine: read as strictly as config.json, changed under a lock. They
// are in a file of their own, because a name is set many times a day, and a damaged one must not take the settings with
// it.

import { ifPossible } from '../base/errors.ts';
import { without } from '../base/json.ts';
import type { Runtime } from '../base/runtime.ts';
import { suggestCommand } from './flags.ts';
import { type Located, type NamedId, namesIn, namesPath, placeOfNames } from './name-file.ts';
import { changeFile, distrust, mend, parseTrustedObject, readTrustedText } from './trusted-file.ts';

/** The format that this version writes; a newer one is refused rather than misread. */
const NAMES_FORMAT = 1;

type Stored = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * The names of a place, in the order in which they were set. Throws `Failure('local_io')` where they cannot be trusted.
 */
export const readNames = (place: string, runtime: Runtime): readonly NamedId[] =>
  namesIn({ names: readStored(runtime) }, place);

/** What is in the file. Whatever it has for a name is an object with an ID: everything else is damage. */
function readStored(runtime: Runtime): Stored {
  const path = namesPath(runtime.configDir());
  const text = readTrustedText(path, runtime);
  if (text === undefined) return {};
  const { names = {} } = parseTrustedObject(text, path, NAMES_FORMAT);
  const places = typeof names === 'object' && names !== null ? Object.entries(names) : undefined;
  const isWhole = places?.every(
    ([place, here]) =>
      typeof here === 'object' &&
      here !== null &&
      namesIn({ names }, place).length === Object.keys(here as object).length,
  );
  if (isWhole !== true) throw distrust(`${path} is damaged; the file was not changed`, mend(path));
  return names as Stored;
}

/** Changes the names of places under the lock of their file. An empty place is left out. */
const change = (runtime: Runtime, edit: (stored: Stored) => Stored): Promise<void> =>
  changeFile(
    namesPath(runtime.configDir()),
    runtime,
    () => ({ format: NAMES_FORMAT, names: readStored(runtime) }),
    ({ format, names }) => {
      const after = Object.entries(edit(names)).filter(([, here]) => Object.keys(here).length > 0);
      return { format, names: Object.fromEntries(after) };
    },
  );

/** Sets names in a place; one that is there already gets the new ID. */
export const setNames = (
  place: string,
  given: readonly NamedId[],
  runtime: Runtime,
): Promise<void> =>
  change(runtime, (stored) => ({
    ...stored,
    [place]: {
      ...stored[place],
      ...Object.fromEntries(given.map(({ name, ...rest }) => [name, rest])),
    },
  }));

/** The line that sets a name in a place. */
export function setLine(place: string, name: string): string {
  const isOrigin = place.includes('://');
  const from = isOrigin
    ? { settings: {}, flags: { baseUrl: place } }
    : { settings: { context: place }, flags: {} };
  return suggestCommand(`name set ${name} <id>`, from);
}

/** Deletes a name. */
export const deleteName = (place: string, name: string, runtime: Runtime): Promise<void> =>
  change(runtime, (stored) => ({ ...stored, [place]: without(stored[place] ?? {}, name) }));

/** Moves the names of a context to another name of it, or deletes them with the context. */
export async function moveNames(
  from: string,
  to: string | undefined,
  runtime: Runtime,
): Promise<void> {
  if (readNames(from, runtime).length === 0) return;
  await change(runtime, (stored) => {
    const rest = without(stored, from);
    return to === undefined ? rest : { ...rest, [to]: { ...stored[from] } };
  });
}

/** Says of an ID which names it has here: `PostSpringLaunch (@launch)`. What cannot be read is not said. */
export function labeller(at: Located, runtime: Runtime): (id: string) => string {
  const place = placeOfNames(at);
  const names = ifPossible(() => (place === undefined ? [] : readNames(place, runtime))) ?? [];
  return (id) => {
    const own = names.filter((each) => each.id === id).map(({ name }) => `@${name}`);
    return own.length === 0 ? id : `${id} (${own.join(', ')})`;
  };
}
