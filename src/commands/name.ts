// `name set | list | delete`: short names for IDs, kept on this machine for the service that the IDs belong to.

import { TELEGRAM_SESSION_ID } from '../api/schema/id-patterns.ts';
import { ForeignId } from '../api/schema/ids.ts';
import { type Fault, usageFailure } from '../base/errors.ts';
import { isObject, ownJson } from '../base/json.ts';
import { quote } from '../base/sanitize.ts';
import { withSuggestions } from '../base/suggestions.ts';
import { type LocalCall, localGroup } from '../cli/local-command.ts';
import {
  AT,
  isName,
  NAME_RULE,
  nameProblem,
  placeOfNames,
  plainName,
} from '../config/name-file.ts';
import { deleteName, readNames, setLine, setNames } from '../config/names.ts';
import { idsSeen } from '../history/known-ids.ts';
import { namesOfCall } from '../input/names.ts';
import { readText } from '../input/text-input.ts';
import { printRows } from '../output/write-result.ts';

const nameOperand = { name: 'name', description: 'Name, with or without @' };

export const add = localGroup([
  {
    word: 'set',
    summary: 'Name an ID, or import names',
    effect: 'sets',
    details:
      'Afterwards @name stands for the ID wherever an ID is expected, in this context. A name that exists gets the new ID. @last is the post last shown or changed.',
    operands: [
      { ...nameOperand, description: '1 to 64 letters, digits, - and _; case is ignored' },
      { name: 'id', description: 'ID, another @name, or @last' },
    ],
    options: [
      {
        flags: '--from <file>',
        description: 'Import what name list --json printed ("-" for stdin)',
        stdin: true,
      },
    ],
    example: 'social name set launch PostSpringLaunch',
    examples: [
      ['Use it', 'social posts retry @launch'],
      ['Import the names of another machine', 'social name set --from names.json'],
    ],
    run: set,
  },
  {
    word: 'list',
    summary: 'List the names of the context',
    example: 'social name list',
    examples: [['Export them', 'social name list --json > names.json']],
    run: list,
  },
  {
    word: 'delete',
    summary: 'Delete a name',
    effect: 'takes away',
    details: 'The ID is not touched.',
    operands: [nameOperand],
    example: 'social name delete launch',
    run: remove,
  },
]);

/** Where the names of this call are. Throws `usage` where there is no such place. */
function placeOf({ settings }: LocalCall): string {
  const place = placeOfNames(settings);
  if (place !== undefined) return place;
  throw usageFailure({
    field: '--context',
    problem: 'is required: names belong to a context',
    fix: 'use -C <name>, or set SOCIAL_BASE_URL',
  });
}

/** What is wrong with an ID that is to have a name. */
function idProblem(id: string): string | undefined {
  // Names are shown and exported: what lets anybody in is not to be among them.
  if (TELEGRAM_SESSION_ID.test(id)) return 'is a pairing session, which is a credential';
  // An ID is one word of a URL's path.
  const isOne = ForeignId.safeParse(id).success && !isName(id) && !/\s/.test(id);
  return isOne ? undefined : `must be one ID, got ${quote(id)}`;
}

async function set(call: LocalCall): Promise<void> {
  const { operands, flags, runtime, settings } = call;
  const place = placeOf(call);
  const from = flags['from'];
  if (typeof from === 'string') {
    if (operands.length > 0)
      throw usageFailure({ field: '--from', problem: 'cannot be combined with a name' });
    return importNames(from, place, call);
  }
  const [typed, given = ''] = operands;
  const name = plainName(typed ?? '');
  const wrong = nameProblem(name);
  const id = isName(given) ? namesOfCall(undefined, settings, runtime).find(given, 'ID') : given;
  const faults: readonly Fault[] = [
    fault('name', typed, wrong === NAME_RULE ? `${wrong}, got ${quote(typed ?? '')}` : wrong),
    typeof id === 'string' ? fault('ID', operands[1], idProblem(id)) : id,
  ].filter((each) => each !== undefined);
  if (faults.length > 0 || typeof id !== 'string')
    throw usageFailure(await withSuggestions(faults));
  const before = readNames(place, runtime).find((each) => each.name === name);
  // With what the ID is of, where an answer has shown it here.
  const kind = seenOf(call).find((each) => each.id === id)?.kind;
  await setNames(place, [{ name, id, ...(kind === undefined ? {} : { kind }) }], runtime);
  const was = before === undefined || before.id === id ? '' : ` (it was ${quote(before.id)})`;
  runtime.note(`${AT}${name} is ${quote(id)} in ${place}${was}.`);
}

function fault(field: string, typed: string | undefined, wrong: string | undefined) {
  const problem = typed === undefined ? 'is required' : wrong;
  return problem === undefined ? undefined : { field, problem };
}

const seenOf = ({ settings, runtime }: LocalCall) => [...idsSeen({ ...settings, ...runtime })];

/** Sets all the names of an export, or none where one of them is wrong. */
async function importNames(from: string, place: string, call: LocalCall): Promise<void> {
  const { runtime } = call;
  const text = await readText(from, '--from', runtime);
  if (typeof text !== 'string') throw usageFailure(text);
  const given = exported(text);
  if (given === undefined)
    throw usageFailure({
      field: '--from',
      problem: 'must be what name list --json prints: [{"name","id"}]',
    });
  const names = given.map(({ name, id, kind }) => ({
    name: plainName(String(name)),
    id: String(id),
    ...(typeof kind === 'string' ? { kind } : {}),
  }));
  const wrong = given.flatMap(({ name, id }, i): readonly Fault[] => {
    const whole = typeof name === 'string' && typeof id === 'string';
    const problem = whole ? (nameProblem(names[i]!.name) ?? idProblem(id)) : 'has no name or no ID';
    const field = `record ${i + 1}${typeof name === 'string' ? ` (${quote(name)})` : ''}`;
    return problem === undefined ? [] : [{ field, problem }];
  });
  if (wrong.length > 0) throw usageFailure(wrong);
  await setNames(place, names, runtime);
  runtime.note(`Set ${names.length} ${names.length === 1 ? 'name' : 'names'} in ${place}.`);
}

/** The records of an export: one JSON array, or one object per line. */
function exported(text: string): readonly Readonly<Record<string, unknown>>[] | undefined {
  const lines = text.trim();
  const value = ownJson(lines.startsWith('[') ? lines : `[${lines.split(/\r?\n/).join(',')}]`);
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

async function list(call: LocalCall): Promise<void> {
  const { runtime, form } = call;
  const place = placeOf(call);
  const seen = seenOf(call);
  const names = readNames(place, runtime).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const rows = names.map((each) => ({
    ...each,
    // The title and the status that an answer showed last.
    about: seen.find(({ id, word }) => id === each.id && word !== '')?.word,
  }));
  if (rows.length === 0)
    runtime.note(`no names in ${place}; to set one: ${setLine(place, '<name>')}`);
  const shown = form === 'table' ? rows.map((row) => ({ ...row, name: AT + row.name })) : rows;
  await printRows(call, ['name', 'id', 'kind', 'about'], shown);
}

async function remove(call: LocalCall): Promise<void> {
  const { operands, runtime } = call;
  const place = placeOf(call);
  const [typed] = operands;
  if (typed === undefined) throw usageFailure({ field: 'name', problem: 'is required' });
  const name = plainName(typed);
  const choices = readNames(place, runtime).map((each) => each.name);
  if (!choices.includes(name)) {
    const problem = `${quote(typed)} is not a name in ${place}`;
    const among = { typed: name, choices };
    throw usageFailure(
      await withSuggestions([{ field: 'name', problem, among }]),
      'social name list',
    );
  }
  await deleteName(place, name, runtime);
  runtime.note(`Deleted ${AT}${name} from ${place}.`);
}
