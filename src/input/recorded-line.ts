// The command line as the history keeps it: its words, ids and flags, without a text, a secret or an address.

import { globalFlags, keyOfFlag } from '../config/flags.ts';
import { shellQuote } from '../base/shell.ts';
import { isIdName } from '../api/operations/fields.ts';
import type { Invocation } from './types.ts';

const MAX_OPERANDS = 5;
const MAX_LENGTH = 400;

/** `posts retry --from failed.csv --wait`: flags of the output, and those that name the service, are left out. */
export function recordedLine({
  spelling,
  typed: { operands, flags },
  fields,
  hooks,
}: Pick<Invocation, 'spelling' | 'typed' | 'fields' | 'hooks'>): string {
  const secrets = (hooks.options ?? []).filter(({ secret }) => secret).map(keyOfFlag);
  const hidden = new Set(
    fields.filter((field) => field.hidden || !isIdName(field.name)).map(({ flag }) => flag),
  );
  const left = new Set(['note', ...globalFlags.map(({ key }) => key)]);
  const words = Object.entries(flags).flatMap(([key, value]) => {
    if (left.has(key)) return [];
    const flag = key.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
    if (typeof value === 'boolean') return [`--${flag}`];
    const values = Array.isArray(value) ? value : [value];
    return values.map(
      (each) =>
        `--${flag} ${hidden.has(flag) || secrets.includes(key) ? '…' : shellQuote(String(each))}`,
    );
  });
  const ids = operands.slice(0, MAX_OPERANDS).map(shellQuote);
  const more = operands.length > MAX_OPERANDS ? ['…'] : [];
  const line = [...spelling.words, ...ids, ...more, ...words].join(' ');
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}
