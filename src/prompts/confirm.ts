// Asks before something is changed that must not be changed by accident: always before taking away, and before
// every change in a protected context. Nothing is ever answered for the user.

import { type Failure, unsentFailure } from '../base/errors.ts';
import { isChange, type Operation } from '../api/operations/define-operation.ts';
import { quote } from '../base/sanitize.ts';
import type { Runtime } from '../base/runtime.ts';
import { suggestCommand } from '../config/flags.ts';
import { mayPrompt } from './policy.ts';
import type { Settings } from '../config/settings.ts';
import { commandLine, shellQuote } from '../base/shell.ts';
import { wrapText } from '../output/wrap.ts';
import type { RawFlags } from '../config/choices.ts';

/** What is about to be done: the words of the command, and the ids that it is done to. */
interface ChangeIntent {
  readonly operation: Operation;
  readonly words: string;
  /** All of them, or the first hundred of a long list. */
  readonly ids: readonly string[];
  readonly count: number;
  /** Whether --confirm names each of them; where it is not said, `ids` are all of them. */
  readonly confirmed?: boolean;
  readonly flags: RawFlags;
  /** What else is to be typed for the same thing, as a shell reads it. */
  readonly rest?: readonly string[];
  /** The words as they were typed. */
  readonly argv?: readonly string[];
  /** Whether the ids come from a list. */
  readonly listed?: boolean;
}

const MOST_NAMED = 3;

/**
 * Returns when there is consent. Throws `usage` where no prompt is possible, `declined` where the answer is no or
 * the typed id is another.
 */
export async function confirmChange(
  intent: ChangeIntent,
  settings: Settings,
  runtime: Runtime,
): Promise<void> {
  const { operation, words, ids, count } = intent;
  const guarded = settings.stored?.protected === true;
  const dangerous = operation.danger !== undefined;
  if (!isChange(operation) || !(guarded || dangerous)) return;
  // In a protected context --yes does not answer for what takes something away.
  const strict = guarded && dangerous;
  if (settings.yes && !strict) return;
  const isAll = ids.length === count;
  const left = ids.filter((id) => !settings.confirm.includes(id));
  if (intent.confirmed ?? (isAll && left.length === 0)) return;
  const where = guarded ? ` in ${settings.context!} (protected)` : '';
  if (!mayPrompt(settings, runtime) || (strict && !isAll))
    throw unasked(intent, `${words} ${named(intent)}${where}`, strict, settings);
  const question = `${operation.action ?? `Run ${words} on`} ${named(intent)}${where}?`;
  if (operation.danger !== undefined)
    await runtime.stderr.write(`${wrapText(operation.danger, runtime.stderr.columns ?? 80, '')}\n`);
  const ask = await runtime.ask(settings.accessible);
  if (strict) {
    await runtime.stderr.write(`${wrapText(question, runtime.stderr.columns ?? 80, '')}\n`);
    return typedIds(left, ask);
  }
  if (!(await ask.confirm(question))) throw declined('not confirmed; nothing was sent');
}

function named({ ids, count }: ChangeIntent): string {
  const shown = ids.slice(0, MOST_NAMED).map(quote).join(', ');
  return count > MOST_NAMED ? `${count} IDs (${shown}, …)` : shown;
}

async function typedIds(
  ids: readonly string[],
  ask: Awaited<ReturnType<Runtime['ask']>>,
): Promise<void> {
  for (const id of ids) {
    const message = `Type ${quote(id)} to confirm:`;
    const typed = await ask.text({
      message,
      clean: (text) => text.trim(),
      validate: () => undefined,
    });
    if (typed !== id) throw declined('the typed ID did not match; nothing was sent');
  }
}

const declined = (what: string) => unsentFailure('declined', { what });

/** Each id with its confirmation; one that begins like a flag stands where it is taken for an id. */
function confirmed(ids: readonly string[]): readonly string[] {
  const dashed = ids.filter((id) => id.startsWith('-'));
  const words = ids.map((id) =>
    id.startsWith('-')
      ? `--confirm=${shellQuote(id)}`
      : `${shellQuote(id)} --confirm ${shellQuote(id)}`,
  );
  return dashed.length === 0 ? words : [...words, '--', ...dashed.map(shellQuote)];
}

function unasked(
  {
    operation: { danger },
    words,
    ids,
    count,
    flags,
    rest = [],
    argv,
    listed = false,
  }: ChangeIntent,
  what: string,
  strict: boolean,
  settings: Settings,
): Failure {
  const ways = strict
    ? 'use --confirm <id> for each ID; --yes is not enough here'
    : 'use --yes, or --confirm <id> for each ID';
  const nextLine = () => {
    // What takes something away takes nothing but ids and this rest, so its line is whole.
    if (danger !== undefined && !listed && ids.length === count)
      return {
        next: suggestCommand([words, ...confirmed(ids), ...rest].join(' '), { settings, flags }),
      };
    if (strict || argv === undefined) return {};
    return { next: commandLine([...argv, '--yes']) };
  };
  return unsentFailure('usage', {
    what: `confirmation required: ${what}`,
    why: [...(danger === undefined ? [] : [danger]), ways],
    ...nextLine(),
  });
}
