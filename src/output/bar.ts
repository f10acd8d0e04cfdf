// How far a batch has come, as one line: a bar, done, failed, unknown, why it stands still, rate, time left. Pure.

export interface Standing {
  readonly total: number;
  /** Those that have ended, and those that an earlier run had done. */
  readonly done: number;
  /** Those that an earlier run had done: they took no time. */
  readonly before: number;
  readonly failed: number;
  /** Those of which nobody knows what became of them. */
  readonly unknown: number;
  readonly elapsedMs: number;
  /** Milliseconds until requests go out again, where the service asked for a pause; else 0. */
  readonly pausedMs: number;
  /** Milliseconds since the last one ended. */
  readonly silentMs: number;
}

/** A silence that is worth a word. */
const SILENCE_MS = 3000;
const BAR = 20;
/** A bar that is shorter says nothing. */
const SHORTEST_BAR = 5;
const GAP = '  ';
/** Columns that stay free: Ctrl-C shows as ^C behind the line, which must not become two by it. */
const ECHO = 2;

/**
 * `████████░░░░░░░░░░░░  400 of 1,000  3 failed  52/s  12s left`, under `width` columns. Where that is too little the
 * bar becomes shorter, then it goes, and then what stands last.
 */
export function barLine(standing: Standing, width: number, unicode: boolean): string {
  const room = width - 1 - ECHO;
  const told = [...parts(standing)];
  while (told.length > 1 && told.join(GAP).length > room) told.pop();
  const text = told.join(GAP);
  const columns = Math.min(BAR, room - text.length - GAP.length);
  return columns < SHORTEST_BAR ? text : bar(standing, columns, unicode) + GAP + text;
}

function bar({ total, done }: Standing, columns: number, unicode: boolean): string {
  const filled = total === 0 ? columns : Math.floor((columns * Math.min(done, total)) / total);
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  return full.repeat(filled) + empty.repeat(columns - filled);
}

/** `400 of 1000, 3 failed, 52/s, 12s left`: for a log. */
export const standingLine = (standing: Standing): string => parts(standing).join(', ');

function parts(standing: Standing): readonly string[] {
  const { total, done, before, failed, unknown, elapsedMs } = standing;
  const perSecond = elapsedMs > 0 ? ((done - before) * 1000) / elapsedMs : 0;
  const left = perSecond > 0 ? (total - done) / perSecond : Infinity;
  return [
    `${done} of ${total}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...standstill(standing),
    `${perSecond >= 10 ? Math.round(perSecond) : Math.round(perSecond * 10) / 10}/s`,
    ...(done < total && Number.isFinite(left) ? [`${span(left)} left`] : []),
  ];
}

/** Why nothing goes on: a pause with its end, or a service that does not answer. */
function standstill({ total, done, pausedMs, silentMs }: Standing): readonly string[] {
  if (done >= total) return [];
  if (pausedMs > 0)
    return [`rate limited by the service, next request in ${span(pausedMs / 1000)}`];
  return silentMs < SILENCE_MS ? [] : [`no response for ${span(Math.floor(silentMs / 1000))}`];
}

/** Whole seconds in the two largest units: `42s`, `3m 20s`, `2h 5m`. */
function span(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`;
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}m`;
}
