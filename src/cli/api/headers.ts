// `-H 'Name: value'`: further headers of a request. Those that say who asks, where it goes and how long it is are the
// tool's own. A value may be secret: only names are told.

import type { Fault } from '../../errors.ts';
import { quote } from '../../output/sanitize.ts';

const NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

/** What may not be set: identity, address, framing, and codings that nobody here decodes. */
const OWN = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers by their names in lower case, and what is wrong with them. */
export function headersOf(typed: readonly string[]): {
  readonly headers: Readonly<Record<string, string>>;
  readonly faults: readonly Fault[];
} {
  const headers = Object.create(null) as Record<string, string>;
  const faults: Fault[] = [];
  for (const [i, line] of typed.entries()) {
    const at = line.indexOf(':');
    const name = line.slice(0, Math.max(0, at)).trim().toLowerCase();
    const value = line.slice(at + 1).trim();
    const problem =
      at <= 0 ? `must be 'Name: value' (number ${i + 1} has no colon)` : problemOf(name, value);
    if (problem !== undefined) faults.push({ field: '--header', problem });
    else if (name in headers)
      faults.push({ field: '--header', problem: `names ${name} twice; choose one` });
    else headers[name] = value;
  }
  return { headers, faults };
}

function problemOf(name: string, value: string): string | undefined {
  if (!NAME.test(name) || name === '__proto__') return `${quote(name)} is not a header name`;
  if (OWN.has(name)) return `${name} is set by social itself`;
  if (/[^\t\x20-\x7e]/.test(value))
    return `the value of ${name} contains a character that no header can carry`;
  if (name === 'content-type' && !/^application\/(?:[\w.-]+\+)?json\b/i.test(value))
    return 'content-type must be JSON; nothing else is sent';
  return undefined;
}
