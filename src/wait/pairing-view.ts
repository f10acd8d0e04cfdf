// How a person follows a pairing: one block that is redrawn in place, or lines where nothing can be redrawn.

import measure from 'fast-string-width';
import { polledId, type Stage, type Wait } from '../api/operations/define-operation.ts';
import { formatDuration } from '../base/durations.ts';
import type { Failure } from '../base/errors.ts';
import { excerpt, sanitizeLine } from '../base/sanitize.ts';
import type { Session } from '../client/session.ts';
import { type Colors, colorsFor, hasUtf8 } from '../output/color.ts';
import type { WaitRequest, WaitView } from './wait.ts';

/** What was seen of a pairing. All times are of the monotonic clock. */
interface Seen {
  readonly stages: readonly Stage[];
  readonly checkedAt: number;
  /** The end of its code, if it has one. */
  readonly endsOn: number | undefined;
  /** The end of the wait. */
  readonly waitEndsOn: number;
  /** The reason why the last check failed, if it did. */
  readonly failed?: string | undefined;
}

const SMALLEST = 60;
/** The right edge of the block, unless its stages or the terminal need another. */
const EDGE = 54;
const LONGEST_REASON = 80;
/** Columns that stay free at the right of the block, where the spinner would be. */
const MARGIN = 3;

/** Shows the block; `undefined` where it cannot be redrawn, or has no room. */
export async function showPairing(
  session: Session,
  request: WaitRequest,
): Promise<WaitView | undefined> {
  const { operation, settings, runtime } = session;
  const { stderr, monotonic } = runtime;
  const { quiet, accessible, debug } = settings;
  if (quiet || accessible || debug || (stderr.columns ?? 0) < SMALLEST) return undefined;
  const live = await runtime.liveProgress().catch(() => undefined);
  if (live === undefined) return undefined;
  const id = sanitizeLine(polledId(operation, request.input));
  const colors = colorsFor(stderr, settings, runtime);
  const signs = hasUtf8(runtime) ? UTF8 : ASCII;
  const waitEndsOn = monotonic() + request.waiting.timeoutMs;
  let seen: Seen | undefined;
  const draw = () =>
    blockOf(id, seen!, monotonic(), (stderr.columns ?? 80) - MARGIN, signs, colors);
  return {
    onPoll({ data }, { state }, endsOn) {
      // The end is shown by the result.
      if (state !== 'pending') return;
      const stages = operation.wait!.stagesOf!(data);
      seen = { stages, checkedAt: monotonic(), endsOn, waitEndsOn };
      live.show(draw);
    },
    onFailedPoll(failure) {
      seen = seen && { ...seen, failed: failureWords(failure) };
      if (seen !== undefined) live.show(draw);
    },
    stop: () => live.stop(),
  };
}

interface Signs extends Readonly<Record<Stage[0], string>> {
  readonly between: string;
  readonly cut: string;
}

const UTF8: Signs = { done: '●', now: '◐', next: '○', between: ' ── ', cut: '…' };
const ASCII: Signs = { done: '[x]', now: '[>]', next: '[ ]', between: ' -- ', cut: '...' };
const tones = { done: 'good', now: 'moving', next: 'faint' } as const;

/** Makes the three lines of the block. */
function blockOf(
  id: string,
  seen: Seen,
  now: number,
  width: number,
  signs: Signs,
  colors: Colors,
): string {
  const stages = stageLine(seen.stages, width, signs, colors);
  const edge = Math.min(width, Math.max(EDGE, measure(stages)));
  const { failed, checkedAt } = seen;
  const age = Math.floor((now - checkedAt) / 1000);
  const checked =
    failed === undefined
      ? `last checked ${age}s ago`
      : colors.bad(`last check failed: ${failed}, trying again`);
  const left = timeLeft(seen, now);
  const title = 'Telegram pairing ';
  const room = edge - title.length - measure(left) - 2;
  const shownId = measure(id) <= room ? id : `${Array.from(id).slice(0, 8).join('')}${signs.cut}`;
  return [
    spread(`${title}${colors.strong(shownId)}`, left, edge),
    stages,
    spread(checked, colors.faint('Ctrl-C to stop'), edge),
  ].join('\n');
}

/** Joins the stages in at most `width` columns: the first ones are left out, and foreign words are cut. */
function stageLine(all: readonly Stage[], width: number, signs: Signs, colors: Colors): string {
  const longest = width - measure(`${signs.now} ${signs.between}${signs.next} connected`);
  const texts = all.map(([place, words]) => {
    const line = sanitizeLine(words);
    const fitted = measure(line) <= longest ? line : `${cutTo(line, longest - 3)}${signs.cut}`;
    return colors[tones[place]](`${signs[place]} ${fitted}`);
  });
  while (texts.length > 2 && measure(texts.join(signs.between)) > width) texts.shift();
  return texts.join(signs.between);
}

function cutTo(text: string, width: number): string {
  let cut = '';
  for (const character of text) {
    if (measure(cut + character) > width) break;
    cut += character;
  }
  return cut;
}

/** Puts the right text at the edge; it is left out if there is no room. */
function spread(left: string, right: string, edge: number): string {
  const gap = edge - measure(left) - measure(right);
  return gap < 2 ? left : `${left}${' '.repeat(gap)}${right}`;
}

const timeLeft = ({ endsOn, waitEndsOn }: Seen, now: number): string =>
  endsOn === undefined
    ? `wait ends in ${clockTime(waitEndsOn - now)}`
    : `code valid for ${clockTime(endsOn - now)}`;

const two = (count: number) => String(count).padStart(2, '0');

/** Formats a time that is left as `9:41` or `1:09:41`. */
function clockTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const first = hours > 0 ? `${hours}:${two(minutes % 60)}` : String(minutes);
  return `${first}:${two(seconds % 60)}`;
}

/** Formats the time that is left as the part of a line; a sentence in accessible mode. */
export function leftWords(msLeft: number, accessible: boolean): string {
  return accessible
    ? `The code is valid for ${formatDuration(msLeft)}.`
    : `; code valid for ${clockTime(msLeft)}`;
}

/** Returns the stage at which a pairing is, as a sentence for a screen reader. */
export function stageSentence({ stagesOf }: Wait, data: unknown): string {
  const stages = stagesOf!(data);
  const [, words] = stages.find(([place]) => place === 'now') ?? stages.at(-1)!;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** Says in a few words why a check failed: the text of the service is not among them. */
export const failureWords = ({ facts }: Failure): string =>
  facts.status === undefined
    ? excerpt(sanitizeLine(facts.what), LONGEST_REASON)
    : `HTTP ${facts.status}`;
