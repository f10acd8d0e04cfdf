// Decides whether a prompt is possible, and asks before destructive changes, and before every change in a protected
// context. No answer is ever assumed.

import { isChange, type Operation } from '../api/operations/define-operation.ts';
import { unsentFailure } from '../base/errors.ts';
import type { Prompts, Runtime } from '../base/runtime.ts';
import { quote } from '../base/sanitize.ts';
import type { CommandLine } from '../base/shell.ts';
import { SANDBOX, type Settings } from '../config/settings.ts';
import { wantsColor } from '../output/color.ts';
import { wrapText } from '../output/wrap.ts';

/** True if a prompt is possible: both sides are terminals, and `--no-input` is not set. */
export function mayPrompt(
  { noInput }: Pick<Settings, 'noInput'>,
  { stdin, stderr }: Runtime,
): boolean {
  return !noInput && stdin.isTTY && stderr.isTTY;
}

/** Returns the prompts; `undefined` if none is possible. */
export async function promptsFor(
  settings: Pick<Settings, 'noInput' | 'accessible' | 'color'>,
  runtime: Runtime,
): Promise<Prompts | undefined> {
  return mayPrompt(settings, runtime) ? openPrompts(settings, runtime) : undefined;
}

/** Returns the prompts. Call it only if they are possible. */
export async function openPrompts(
  { accessible, color }: Pick<Settings, 'accessible' | 'color'>,
  { ask, stderr, env }: Runtime,
): Promise<Prompts> {
  return ask({ accessible, colored: wantsColor(color, stderr.isTTY, env) });
}

/** The change to confirm: the words of the command, and its IDs. */
interface ChangeIntent {
  readonly operation: Operation;
  readonly words: string;
  /** At least one: an empty list would count as confirmed. For `api` it is the path. */
  readonly ids: readonly string[];
}

const MOST_NAMED = 3;

/** Returns after confirmation. Throws `usage` if no prompt is possible, `declined` after a no or another ID. */
export async function confirmChange(
  intent: ChangeIntent,
  settings: Settings,
  runtime: Runtime,
): Promise<void> {
  const { operation, words, ids } = intent;
  const { danger } = operation;
  const isProtected = settings.stored?.protected === true;
  if (!isChange(operation) || !(isProtected || danger !== undefined)) return;
  // In a protected context --yes does not confirm a destructive change.
  const mustType = isProtected && danger !== undefined;
  if (settings.yes && !mustType) return;
  if (isProtected && runtime.agent !== undefined) throw agentRefusal(settings, danger);
  const confirmedIds = new Set(settings.confirm);
  const unconfirmed = ids.filter((id) => !confirmedIds.has(id));
  if (unconfirmed.length === 0) return;
  const first = ids.slice(0, MOST_NAMED).map(quote).join(', ');
  const others = settings.confirm.filter((id) => !ids.includes(id));
  const isMany = ids.length > MOST_NAMED;
  const named = isMany ? `${ids.length} IDs (${first}, …)` : first;
  // `Retry post "A"`, or of many `Retry 20 posts ("A", "B", "C", …)`.
  const action =
    isMany && operation.question !== undefined
      ? operation.question.replace(/\w+$/, (noun) => `${ids.length} ${noun}s (${first}, …)`)
      : `${operation.question ?? `Run ${words} on`} ${named}`;
  const place = isProtected ? ` in ${settings.context!} (protected)` : '';
  const instead = `--confirm names ${others.map(quote).join(', ')}, not ${unconfirmed.slice(0, MOST_NAMED).map(quote).join(', ')}`;
  const prompts = await promptsFor(settings, runtime);
  if (prompts === undefined)
    throw unsentFailure('usage', {
      what: `confirmation required: ${words} ${named}${place}`,
      why: [
        ...(danger === undefined ? [] : [danger]),
        ...(others.length === 0 ? [] : [instead]),
        runtime.agent !== undefined
          ? 'confirm must repeat the ID'
          : mustType
            ? 'use --confirm <id> for each ID; --yes is not enough here, and a person has to type the ID'
            : 'use --yes, or --confirm <id> for each ID',
      ],
      // Either of the two IDs may have been meant.
      lacks: mustType || others.length > 0 ? 'ids' : '--yes',
    });
  const { stderr } = runtime;
  const say = (text: string) => stderr.write(`${wrapText(text, stderr.columns)}\n`);
  const question = `${action} ${placeOf(settings)}?`;
  if (danger !== undefined) await say(danger);
  if (others.length > 0) await say(instead);
  if (!mustType) {
    if (!(await prompts.confirm(question))) throw declined('not confirmed');
    return;
  }
  await say(question);
  for (const id of unconfirmed) {
    const message = `Type ${quote(id)} to confirm:`;
    const typed = await prompts.text({ message, validate: () => undefined });
    if (typed.trim() !== id) throw declined('the typed ID did not match');
  }
}

/** Names the service of a change: `in prod (protected) at api.example.com`. */
function placeOf({ context, baseUrl, stored }: Settings): string {
  if (context === SANDBOX || baseUrl === undefined) return 'in the sandbox';
  const mark = stored?.protected === true ? ' (protected)' : '';
  const named = context === undefined ? '' : `in ${context}${mark} `;
  return `${named}at ${new URL(baseUrl).host}`;
}

/** An agent cannot confirm a change in a protected context, whatever it types. */
const agentRefusal = ({ context }: Settings, danger: string | undefined) =>
  unsentFailure('usage', {
    what: `the context ${context!} is protected: a person must ${danger === undefined ? 'allow changes' : 'delete or disable'} there`,
    hint:
      danger === undefined ? 'start the server with --yes to allow them' : 'use the command line',
  });

interface Deletion {
  /** The command and its subject. */
  readonly what: string;
  readonly question: string;
  /** The line to type if no prompt is possible. */
  readonly next: CommandLine;
  /** The message after a no: `nothing was deleted`. */
  readonly kept: string;
}

/** Asks before something on this machine is deleted. Throws as `confirmChange` does. */
export async function confirmDeletion(
  { what, question, next, kept }: Deletion,
  settings: Settings,
  runtime: Runtime,
): Promise<void> {
  const prompts = await promptsFor(settings, runtime);
  if (prompts === undefined)
    throw unsentFailure('usage', { what: `confirmation required: ${what}`, next });
  if (!(await prompts.confirm(question))) throw declined(`not confirmed; ${kept}`);
}

const declined = (what: string) => unsentFailure('declined', { what, nothingWas: 'sent' });
