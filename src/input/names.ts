// Names in the place of IDs: `@launch`, `@last`. The field of an operation knows what is an ID; a text that begins with
// @ is touched nowhere else. A name that is unknown, or whose ID does not fit, stays as it was typed and is a fault.

import type { Input, Operation } from '../api/operations/define-operation.ts';
import type { Field } from '../api/operations/fields.ts';
import type { Fault } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { quote } from '../base/sanitize.ts';
import { camelCase, globalFlags, shortFlagOf } from '../config/flags.ts';
import {
  AT,
  isName,
  LAST,
  type Located,
  type NamedId,
  placeOfNames,
  plainName,
} from '../config/name-file.ts';
import { readNames, setLine } from '../config/names.ts';
import type { Settings } from '../config/settings.ts';
import { lastPost } from '../history/last-post.ts';
import type { Invocation, Names } from './types.ts';
import { labelOf, validateField } from './validate-input.ts';

/** The names that hold for a call. Throws `Failure('local_io')` where their file cannot be trusted. */
export function namesOfCall(
  operation: Operation | undefined,
  at: Located,
  runtime: Runtime,
): Names {
  const place = placeOfNames(at);
  let known: readonly NamedId[] | undefined;
  let last: string | undefined;
  const used = new Map<string, string>();
  const all = () => (known ??= place === undefined ? [] : readNames(place, runtime));
  const find = (name: string): string | undefined => {
    if (name === LAST) return (last ??= lastPost(at, runtime));
    return all().find((each) => each.name === name)?.id;
  };
  const problemOf = (id: string, field: Field) => {
    const value = field.kind === 'list' ? [id] : id;
    return operation && validateField(operation, field, value);
  };
  const unknown = (text: string): Omit<Fault, 'field'> => {
    const name = plainName(text);
    const typed = quote(text);
    if (place === undefined) return { problem: `${typed} needs a context`, fix: 'use -C <name>' };
    if (name === LAST)
      return { problem: `${typed}: no post was shown or changed here yet`, fix: 'use its ID' };
    const set = `to set it: ${setLine(place, /^[\w-]+$/.test(name) ? name : '<name>')}`;
    return {
      problem: `${typed} is not a name in ${place}`,
      fix: set,
      among: { typed: `${AT}${name}`, choices: all().map((each) => AT + each.name), also: set },
    };
  };
  return {
    last: () => last,
    idFor(text, field) {
      if (!isName(text)) return text;
      const name = plainName(text);
      if (name === LAST && field.idKind !== 'post') return text;
      const id = find(name);
      if (id === undefined || problemOf(id, field) !== undefined) return text;
      used.set(AT + name, id);
      return id;
    },
    faultOf(text, field) {
      const label = labelOf(field);
      if (plainName(text) === LAST && field.idKind !== 'post')
        return { field: label, problem: `${quote(text)} is a post`, fix: `use the ${label}` };
      const id = find(plainName(text));
      if (id === undefined) return { field: label, ...unknown(text) };
      return { field: label, problem: `${quote(text)} is ${quote(id)}: ${problemOf(id, field)}` };
    },
    find: (text, field) => find(plainName(text)) ?? { field, ...unknown(text) },
    spelledOut: (line) =>
      [...used].filter(([, id]) => line.includes(id)).map(([name, id]) => `${name} is ${id}`),
  };
}

/** The input with IDs in the place of names. */
export function withIds(fields: readonly Field[], input: Input, names: Names): Input {
  const changed: Record<string, unknown> = {};
  for (const field of fields) {
    if (field.idKind === undefined) continue;
    const value = input[field.name];
    if (typeof value === 'string' && isName(value)) changed[field.name] = names.idFor(value, field);
    else if (Array.isArray(value) && value.some((each) => typeof each === 'string' && isName(each)))
      changed[field.name] = (value as readonly unknown[]).map((each) =>
        typeof each === 'string' ? names.idFor(each, field) : each,
      );
  }
  return Object.keys(changed).length === 0 ? input : { ...input, ...changed };
}

/** The same names for the lines of a list, which may be read long after it was written: `@last` is none there. */
export const namesForLists = (names: Names): Names => ({
  ...names,
  idFor: (text, field) =>
    plainName(text) === LAST && isName(text) ? text : names.idFor(text, field),
  faultOf: (text, field) =>
    plainName(text) === LAST
      ? { field: labelOf(field), problem: `cannot be ${quote(text)} in a list`, fix: 'use the ID' }
      : names.faultOf(text, field),
});

/**
 * The command line with IDs in the place of names: operands, flags that take an ID, the account of the settings, and
 * the words as they were typed, so that a line that is suggested later means the same whatever becomes of the name.
 */
export function nameInvocation(invocation: Invocation, settings: Settings, names: Names) {
  const { fields, typed, argv } = invocation;
  const positional = fields.filter(({ argument }) => argument !== undefined);
  const [first] = positional;
  const fieldAt = (i: number) => (first?.argument === 'many' ? first : positional[i]);
  const idFor = (text: string, field: Field | undefined) =>
    field?.idKind === undefined ? text : names.idFor(text, field);
  const listFor = (text: string, field: Field) =>
    field.kind === 'list' ? text.split(',').map((each) => idFor(each, field)) : idFor(text, field);
  const operands = typed.operands.map((word, i) => idFor(word, fieldAt(i)));
  const flagged = fields.filter(({ argument, idKind }) => argument === undefined && idKind);
  const values = new Map<string, (text: string) => string>(
    flagged.flatMap((field) =>
      [`--${field.flag}`, shortFlagOf(field) ?? ''].map(
        (flag) => [flag, (text: string) => String(listFor(text, field))] as const,
      ),
    ),
  );
  const flags: Record<string, unknown> = { ...typed.flags };
  for (const field of flagged) {
    const key = camelCase(field.flag);
    const value = flags[key];
    if (typeof value === 'string') flags[key] = String(listFor(value, field));
    if (Array.isArray(value))
      flags[key] = (value as readonly string[]).flatMap((each) => listFor(each, field));
  }
  const { confirm, faults } = confirmedIds(settings, names);
  values.set('--confirm', (text) => confirm[settings.confirm.indexOf(text)] ?? text);
  const account = flagged.find(({ fromContext }) => fromContext === 'account');
  return {
    invocation: {
      ...invocation,
      names,
      typed: { operands, flags },
      argv: argv.map((word, i) => {
        const joined = /^(--[\w-]+=|-\w)(.+)$/s.exec(word);
        if (joined !== null) {
          const [, flag = '', value = ''] = joined;
          return flag + (values.get(flag.replace('=', ''))?.(value) ?? value);
        }
        const before = argv[i - 1] ?? '';
        const own = values.get(before);
        if (own !== undefined) return own(word);
        const at = takesValue(before, typed.flags) ? -1 : typed.operands.indexOf(word);
        return at < 0 ? word : operands[at]!;
      }),
    },
    settings: {
      ...settings,
      confirm,
      account: settings.account && idFor(settings.account, account),
    },
    faults,
  };
}

/** The IDs that --confirm names. Consent is to what the user had in mind, not to whatever was looked at last. */
export function confirmedIds(
  { confirm }: Settings,
  names: Names,
): { readonly confirm: readonly string[]; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const ids = confirm.map((text) => {
    if (!isName(text)) return text;
    const id =
      plainName(text) === LAST
        ? { field: '--confirm', problem: `cannot be ${quote(text)}`, fix: 'use the ID' }
        : names.find(text, '--confirm');
    if (typeof id === 'string') return id;
    faults.push(id);
    return text;
  });
  return { confirm: ids, faults };
}

/** Whether the word after this one was its value, by what the parser made of the line. */
function takesValue(word: string, flags: Readonly<Record<string, unknown>>): boolean {
  if (!word.startsWith('-')) return false;
  const isShort = !word.startsWith('--');
  if (isShort)
    return globalFlags.some((each) => each.flags.startsWith(`${word}, `) && /</.test(each.flags));
  return typeof (flags[camelCase(word.slice(2))] ?? true) !== 'boolean';
}
