// Shows a pairing to the person at the phone: one block that is redrawn in place, or words for its lines.

import measure from 'fast-string-width';
import type { Stage, WaitVerdict } from '../api/operations/define-operation.ts';
import { formatDuration } from '../base/durations.ts';
import type { Failure } from '../base/errors.ts';
import { excerpt, sanitizeLine } from '../base/sanitize.ts';
import { hostOf } from '../client/open-client.ts';
import type { Session } from '../client/session.ts';
import { colorsFor, hasUtf8 } from '../output/color.ts';
import { FIRST_DRAW_MS } from '../output/progress.ts';

const FEWEST_COLUMNS = 50;
/** The right edge of the block, unless its stages or the terminal need another. */
const EDGE = 54;
const STOP = 'Ctrl-C to stop';

const utf8 = { done: '●', now: '◐', bad: '✗', odd: '·', next: '○', between: ' ── ', cut: '…' };
const ascii: typeof utf8 = {
  done: '[x]',
  now: '[>]',
  bad: '[!]',
  odd: '[?]',
  next: '[ ]',
  between: ' -- ',
  cut: '...',
};
const tones = { done: 'good', now: 'moving', bad: 'bad', odd: 'faint', next: 'faint' } as const;

/** Shows the block; returns `undefined` where it cannot be redrawn, or has no room. */
export async function showPairing(session: Session, id: string) {
  const { operation, service, settings, runtime } = session;
  const { stderr, monotonic } = runtime;
  const hasNone = settings.quiet || settings.accessible || settings.debug;
  if (hasNone || (stderr.columns ?? 0) < FEWEST_COLUMNS) return undefined;
  const live = await runtime.liveProgress().catch(() => undefined);
  if (live === undefined) return undefined;
  const colors = colorsFor(stderr, settings, runtime);
  const signs = hasUtf8(runtime) ? utf8 : ascii;
  const up = { why: '', nextAt: 0 };
  let seen = { data: undefined as unknown, at: monotonic(), endsOn: Infinity, ...up };

  /** Joins the stages in `width` columns: the first ones give way, and words of the service are cut. */
  const stageLine = (width: number): string => {
    const longest = width - measure(`${signs.now} ${signs.between}${signs.next} connected`);
    const texts = operation.wait!.stagesOf!(seen.data).map(([place, words]) =>
      colors[tones[place]](`${signs[place]} ${fitted(words, longest, signs.cut)}`),
    );
    while (texts.length > 2 && measure(texts.join(signs.between)) > width) texts.shift();
    return texts.join(signs.between);
  };
  /** Says when the last answer came, or for how long none has, why, and when the next attempt is. */
  const lastLine = (now: number, room: number): string => {
    const since = `${Math.floor((now - seen.at) / 1000)}s`;
    const { why, nextAt, data } = seen;
    if (why === '') return data ? `last checked ${since} ago` : `no answer for ${since}`;
    const left = Math.max(0, Math.ceil((nextAt - now) / 1000));
    const short = `${why.replace(/ by \S+$/, '')} for ${since}`;
    const whole = `no answer for ${since}: ${why}; next attempt in ${left}s`;
    const fits = (text: string) => measure(text) <= room;
    return [whole, `${short}; next in ${left}s`].find(fits) ?? fitted(short, room, signs.cut);
  };
  const block = (): string => {
    // Three columns stay free: the library adds spaces.
    const width = (stderr.columns ?? 80) - 3;
    const stages = seen.data ? stageLine(width) : `waiting for ${hostOf(service)}`;
    const now = monotonic();
    // The terminal prints ^C after the last line, which would otherwise wrap.
    const lastWidth = width - 2;
    const checked = lastLine(now, lastWidth - `  ${STOP}`.length);
    const shown = seen.why === '' ? checked : colors.bad(checked);
    const longest = Math.max(EDGE, measure(stages), measure(`${checked}  ${STOP}`));
    const edge = Math.min(width, longest);
    const left = seen.endsOn === Infinity ? '' : `code valid for ${minutesLeft(seen.endsOn - now)}`;
    const shownId = fitted(id, edge - 'Telegram pairing '.length - left.length - 2, signs.cut);
    return [
      spread(`Telegram pairing ${colors.strong(shownId)}`, left, edge),
      stages,
      spread(shown, colors.faint(STOP), Math.min(edge, lastWidth)),
    ].join('\n');
  };
  const starting = setTimeout(() => live.show(block), FIRST_DRAW_MS).unref();
  return {
    onPoll({ data }: { readonly data: unknown }, { state }: WaitVerdict, endsOn = Infinity) {
      clearTimeout(starting);
      seen = { data, at: monotonic(), endsOn, ...up };
      // The end is shown by the result.
      if (state === 'pending') live.show(block);
    },
    onFailedPoll(failure: Failure, pauseMs: number) {
      seen = { ...seen, why: failureWords(failure), nextAt: monotonic() + pauseMs };
      live.show(block);
    },
    stop() {
      clearTimeout(starting);
      live.stop();
    },
  };
}

/** Cuts a text to `width` columns. */
function fitted(text: string, width: number, cut: string): string {
  const line = sanitizeLine(text);
  if (measure(line) <= width) return line;
  const characters = Array.from(line).slice(0, width);
  while (measure(characters.join('')) > width - cut.length) characters.pop();
  return `${characters.join('')}${cut}`;
}

/** Puts a text at the right edge, if there is room. */
function spread(left: string, right: string, edge: number): string {
  const gap = edge - measure(left) - measure(right);
  return gap < 2 || right === '' ? left : `${left}${' '.repeat(gap)}${right}`;
}

/** Formats a remaining time as `9:41`, also of more than an hour: a code lives for minutes. */
function minutesLeft(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Formats the remaining time of a code as a part of a line, or as a sentence for a screen reader. */
export const leftWords = (ms: number, accessible: boolean): string =>
  accessible
    ? `The code is valid for ${formatDuration(Math.max(0, Math.floor(ms / 1000)) * 1000)}.`
    : `; code valid for ${minutesLeft(ms)}`;

/** Returns the words of the present stage. */
export function wordsOfStage(stages: readonly Stage[]): string {
  const [, words] = stages.find(([place]) => !['done', 'next'].includes(place)) ?? stages.at(-1)!;
  return sanitizeLine(words);
}

/** Makes a clause a sentence, for a screen reader. */
export const asSentence = (clause: string): string =>
  `${clause.replace(/^[a-z]/, (first) => first.toUpperCase())}.`;

/** Returns the reason of a failed check in a few words, without text of the service. */
export function failureWords({ facts: { status, what } }: Failure): string {
  if (status === undefined) return excerpt(sanitizeLine(what), 80);
  return status < 400 ? `not a response of the service (HTTP ${status})` : `HTTP ${status}`;
}
