// How far a batch has come, as one line: a bar, done, failed, rate, time left. Pure.

export interface Standing {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly elapsedMs: number;
}

const BAR = 20;

/** `████████░░░░░░░░░░░░  400 of 1,000  3 failed  52/s  12s left`, cut to `width` columns. */
export function barLine(standing: Standing, width: number, unicode: boolean): string {
  const { total, done } = standing;
  const filled = total === 0 ? BAR : Math.floor((BAR * Math.min(done, total)) / total);
  const [full, empty] = unicode ? ['█', '░'] : ['#', '-'];
  const text = [`${full.repeat(filled)}${empty.repeat(BAR - filled)}`, ...parts(standing)].join(
    '  ',
  );
  return Array.from(text)
    .slice(0, Math.max(1, width - 1))
    .join('');
}

/** `400 of 1000, 3 failed, 52/s, 12s left`: for a log. */
export const standingLine = (standing: Standing): string => parts(standing).join(', ');

function parts({ total, done, failed, elapsedMs }: Standing): readonly string[] {
  const perSecond = elapsedMs > 0 ? (done * 1000) / elapsedMs : 0;
  const left = perSecond > 0 ? (total - done) / perSecond : Infinity;
  return [
    `${done} of ${total}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    `${perSecond >= 10 ? Math.round(perSecond) : Math.round(perSecond * 10) / 10}/s`,
    ...(done < total && Number.isFinite(left) ? [`${span(left)} left`] : []),
  ];
}

/** Whole seconds in the two largest units: `42s`, `3m 20s`, `2h 5m`. */
function span(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`;
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}m`;
}
