// What becomes of the lists of an endpoint: which items fall away where a list is replaced, and the new list where
// items are added or removed. Both start from the list that an answer last showed to this machine; it may have changed
// since.

import type { Input } from '../../api/operations/define-operation.ts';
import type { Fault } from '../../base/errors.ts';
import { relativeTime } from '../../base/durations.ts';
import { quote } from '../../base/sanitize.ts';
import type { ReviseContext } from '../../client/call-context.ts';
import type { RawFlags } from '../../config/choices.ts';
import { type KnownLists, lastKnownLists } from '../../history/known-lists.ts';
import { headerIn, itemsIn } from '../../input/flag-values.ts';

/** The input with its whole lists. Says on stderr what they start from, also with `--quiet`. */
export async function reviseLists(input: Input, context: ReviseContext): Promise<Input> {
  const { flags, settings, runtime, note } = context;
  const id = String(input['id']);
  const known = lastKnownLists(id, settings, runtime);
  const age = known && relativeTime(Date.parse(known.at) - runtime.now());
  if (known !== undefined)
    for (const line of whatFallsAway(input, known)) note(`${line} (as of ${age})`);
  const revised = { ...input };
  const starts: string[] = [];
  const change = (field: 'events' | 'customHeaders', work: ListWork) => {
    if (work.flag === undefined) return;
    const result = known === undefined ? unknownList(work.flag, work.whole) : work.apply(known);
    if ('problem' in result) return context.fault(result, field);
    const list = field === 'events' ? known!.events : known!.headers;
    starts.push(`starting from ${work.noun}: ${list.join(', ') || 'none'}`);
    revised[field] = result.value;
  };
  change('events', eventWork(flags));
  change('customHeaders', headerWork(flags));
  for (const line of starts)
    await runtime.stderr.write(`${line} (as of ${age}; changes made elsewhere since are lost)\n`);
  return revised;
}

interface ListWork {
  readonly noun: string;
  /** The flag that was typed; none where there is nothing to do. */
  readonly flag: string | undefined;
  /** How to give the whole list instead. */
  readonly whole: string;
  /** The new value, or what is wrong. */
  apply(known: KnownLists): { readonly value: unknown } | Fault;
}

const unknownList = (field: string, whole: string): Fault => ({
  field,
  problem: 'has no list to start from: no answer has shown it here since its last change',
  fix: `give the whole list: ${whole}`,
});

/** What a replaced list had and has no more. */
function whatFallsAway({ events, customHeaders }: Input, known: KnownLists): readonly string[] {
  const lostEvents = Array.isArray(events) ? gone(known.events, events as string[]) : [];
  const isReplaced = customHeaders !== undefined;
  const lostHeaders = isReplaced ? gone(known.headers, Object.keys(customHeaders ?? {})) : [];
  return [
    ...(lostEvents.length === 0 ? [] : [`removed events: ${lostEvents.join(', ')}`]),
    ...(lostHeaders.length === 0 ? [] : [`removed headers: ${lostHeaders.join(', ')}`]),
  ];
}

/** Header names ignore case; event names are in small letters. */
const isIn = (list: readonly string[]) => (name: string) =>
  list.some((each) => each.toLowerCase() === name.toLowerCase());

const gone = (before: readonly string[], now: readonly string[]) =>
  before.filter((each) => !isIn(now)(each));

const typedFor = (flags: RawFlags, key: string) => (flags[key] ?? []) as readonly string[];

function eventWork(flags: RawFlags): ListWork {
  const added = itemsIn(typedFor(flags, 'addEvent'));
  const removed = itemsIn(typedFor(flags, 'removeEvent'));
  return {
    noun: 'events',
    flag: added.length > 0 ? '--add-event' : removed.length > 0 ? '--remove-event' : undefined,
    whole: '--event <name> for each event',
    apply({ events }) {
      const fault = removalFault('--remove-event', removed, { listed: events, added });
      if (fault !== undefined) return fault;
      const all = [...new Set([...events, ...added])].filter((each) => !removed.includes(each));
      if (all.length > 0) return { value: all };
      return {
        field: '--remove-event',
        problem: 'leaves no event, and an endpoint needs one',
        fix: 'use --inactive to stop deliveries',
      };
    },
  };
}

function headerWork(flags: RawFlags): ListWork {
  const pairs = typedFor(flags, 'addHeader');
  const removed = typedFor(flags, 'removeHeader');
  const flag = pairs.length > 0 ? '--add-header' : '--remove-header';
  const whole = "--header 'Name: value' for each header, or --clear-headers";
  return {
    noun: 'headers',
    flag: pairs.length + removed.length > 0 ? flag : undefined,
    whole,
    apply({ headers }) {
      const value = Object.create(null) as Record<string, string>;
      for (const [i, pair] of pairs.entries()) {
        const read = headerIn(pair, i);
        if ('problem' in read) return { field: '--add-header', ...read };
        value[read.name] = read.value;
      }
      const added = Object.keys(value);
      const fault = removalFault('--remove-header', removed, { listed: headers, added });
      if (fault !== undefined) return fault;
      const kept = gone(headers, [...removed, ...added]).join(', ');
      if (kept === '') return { value: added.length === 0 ? null : value };
      return {
        field: flag,
        problem: `cannot keep ${kept}: the values of headers are secrets and not stored here`,
        fix: `give the whole list: ${whole}`,
      };
    },
  };
}

/** What is wrong with an item to remove: the user has another list in mind. */
function removalFault(
  field: string,
  removed: readonly string[],
  { listed, added }: { readonly listed: readonly string[]; readonly added: readonly string[] },
): Fault | undefined {
  const both = removed.find(isIn(added));
  if (both !== undefined) return { field, problem: `${quote(both)} is added as well` };
  const [strange] = gone(removed, listed);
  if (strange === undefined) return undefined;
  const all = listed.join(', ') || 'none';
  return { field, problem: `${quote(strange)} is not in the last list known here: ${all}` };
}
