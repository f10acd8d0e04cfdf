// Flags that a command does not have. A flag's value may be a secret, so only its name is ever shown.

import type { Command } from 'commander';
import type { Fault } from '../base/errors.ts';
import { quote } from '../base/sanitize.ts';
import { rootOf } from './commander-options.ts';

/** Sorts a command's left-over words into operands and unknown flags. What follows `--` is never a flag. */
export async function unknownFlags(
  command: Command,
  argv: readonly string[],
): Promise<{ operands: readonly string[]; faults: readonly Fault[] }> {
  const end = argv.indexOf('--');
  const after = end < 0 ? [] : argv.slice(end + 1);
  const isFlag = (word: string) => word.startsWith('-') && word.length > 1 && !after.includes(word);
  const strays = command.args.filter((word) => isFlag(word) && word !== '--');
  // What comes after an unknown flag may be its value, so it is not taken for an operand.
  const first = command.args.findIndex(isFlag);
  const operands = first < 0 ? command.args : command.args.slice(0, first);
  if (strays.length === 0) return { operands, faults: [] };
  const { closestWord } = await import('../base/closest.ts');
  const near = (name: string) =>
    foreignFlag(name, command) ?? nearestFlag(name, command, closestWord);
  return { operands, faults: strays.map((stray) => faultOf(stray.split('=')[0]!, near)) };
}

/** Flags that answer for the user or take something away: never suggested for a typing mistake. */
const NEVER_SUGGESTED: ReadonlySet<string> = new Set([
  '--yes',
  '--confirm',
  '--retry-unknown',
  '--insecure-storage',
  '--allow-writes',
  '--clear-secret',
  '--clear-headers',
  '--no-protected',
  '--no-check',
]);

/** The flag of a command that is nearest to a long one which it does not have. */
export function nearestFlag(
  name: string,
  command: Command,
  closest: (word: string, words: readonly string[]) => string | undefined,
): string | undefined {
  if (!name.startsWith('--')) return undefined;
  const shared = rootOf(command).options;
  const known = command.options.flatMap((option) =>
    option.long == null || (shared.includes(option) && option.negate) ? [] : [option.long],
  );
  const harmless = known.filter((flag) => !NEVER_SUGGESTED.has(flag));
  return closest(name, [...harmless, '--help']);
}

const WAIT = 'to wait for a post, use posts wait <post-id> or posts retry --wait';

/** Flags of other tools, and the flag that does it here. */
const FOREIGN: Readonly<Record<string, string>> = {
  '--profile': '--context',
  '--env': '--context',
  '--environment': '--context',
  '--url': '--base-url',
  '--host': '--base-url',
  '--endpoint': '--base-url',
  '--format': '--output',
  '--template': '--jq',
  '--filter': '--jq',
  '--verbose': '--debug',
  '--trace': '--debug',
  '--silent': '--quiet',
  '--parallel': '--concurrency',
  '--jobs': '--concurrency',
  '--file': '--from',
  '--dry': '--dry-run',
  '--non-interactive': '--no-input',
  '-v': '--debug',
  '-f': '--from',
  '-j': '--json',
};

/** The flag of this command that does what a flag of another tool does. */
export function foreignFlag(name: string, command: Command): string | undefined {
  const own = Object.hasOwn(FOREIGN, name) ? FOREIGN[name] : undefined;
  return command.options.some(({ long }) => long === own) ? own : undefined;
}

function faultOf(name: string, nearest: (name: string) => string | undefined): Fault {
  if (name === '--token' || name === '--secret') {
    const fix =
      name === '--token'
        ? 'set SOCIAL_TOKEN'
        : 'use --secret-file, --secret-env or --generate-secret';
    return {
      field: name,
      problem: 'does not exist: secrets are not accepted on the command line',
      fix,
    };
  }
  if (name === '--watch' || name === '--follow')
    return { field: 'unknown flag', problem: quote(name), fix: WAIT };
  const near = nearest(name);
  const fix = near === undefined ? 'put -- before IDs that start with -' : `did you mean ${near}?`;
  return { field: 'unknown flag', problem: quote(name), fix };
}
