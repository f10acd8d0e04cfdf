// Names in the path of `social api`, where each segment that begins with @ is one, and in its --confirm.

import type { Fault } from '../../base/errors.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { isName } from '../../config/name-file.ts';
import { confirmedIds, namesOfCall } from '../../input/names.ts';

/** The path and what is confirmed, with IDs in the place of names. The query is not touched. */
export async function withoutNames(typed: string | undefined, { settings, runtime }: LocalCall) {
  const [path = '', query = ''] = typed?.split(/(?=[?#])(.*)/s) ?? [];
  if (!path.includes('/@') && !settings.confirm.some(isName))
    return { text: typed, confirm: settings.confirm, faults: [] };
  const names = namesOfCall(undefined, settings, runtime);
  const { confirm, faults } = confirmedIds(settings, names);
  const unknown: Fault[] = [];
  const segments = path.split('/').map((segment, i) => {
    if (i === 0 || !isName(segment)) return segment;
    const id = names.find(segment, 'path');
    if (typeof id === 'string') return encodeURIComponent(id);
    unknown.push(withLiteral(id));
    return 'ID';
  });
  const last = names.last();
  if (last !== undefined) await runtime.stderr.write(`@last is ${last}\n`);
  return { text: segments.join('/') + query, confirm, faults: [...unknown, ...faults] };
}

/** What else one may have meant: a path may have a segment that begins with @. */
function withLiteral(fault: Fault): Fault {
  const literal = 'write %40 for an @ that belongs to the path';
  const withIt = (text: string | undefined) => [text, literal].filter(Boolean).join('; ');
  const { among } = fault;
  return {
    ...fault,
    fix: withIt(fault.fix),
    ...(among === undefined ? {} : { among: { ...among, also: withIt(among.also) } }),
  };
}
