// The board of a batch at a terminal: a line for each platform, for the canary, and with the sum. It counts targets as
// the responses show them, and is asked for its lines each time it is drawn.

import { hasTargets, type TargetState } from '../../api/schema/post.ts';
import { statusTone } from '../../api/schema/rules.ts';
import { clockTime } from '../../base/durations.ts';
import type { Runtime } from '../../base/runtime.ts';
import { excerpt, sanitizeLine } from '../../base/sanitize.ts';
import { readCause } from '../../client/cause.ts';
import { shortly } from '../../client/remedies.ts';
import type { CauseRule } from '../../client/taught-causes.ts';
import { barFor } from '../../output/bars.ts';
import { type Colors, hasUtf8 } from '../../output/color.ts';
import { fittedLine } from '../../output/progress.ts';
import type { BatchRecord } from '../read/validate-records.ts';
import type { BatchSummary, RecordVerdict } from './summary.ts';

/** `waiting` until the record has ended; `accepted` if the service took it, and its end is unknown. */
type TargetEnd = 'done' | 'failed' | 'unknown' | 'accepted' | 'waiting';

/** The targets of a platform; `error` is its last one, and `reason` why it asks to wait. */
interface Platform extends Record<TargetEnd, number> {
  error?: string;
  reason?: string | undefined;
}

/** How a canary ended; `stopped` if something stopped the batch while it ran. */
export type CanaryEnd = 'passed' | 'failed' | 'stopped';

/** The records that the canary tries, those of them that are done, and its end. */
export interface CanaryState {
  readonly all: number;
  readonly done: number;
  readonly end: CanaryEnd | 'running';
}

const BAR = 20;
const MOST_PLATFORMS = 8;
const LONGEST_NAME = 14;
const LONGEST_ERROR = 120;
/** An HTTP status in an error. */
const STATUS = /\b[45]\d\d\b/;

type Look = Pick<Runtime, 'env' | 'program' | 'monotonic'> &
  Pick<BatchSummary, 'opensAt'> & { readonly colors: Colors };

export class BatchBoard {
  readonly #platforms = new Map<string, Platform>();
  /** The end of each known target of a record, by its ID. */
  readonly #targets = new Map<BatchRecord, Map<string, readonly [Platform, TargetEnd]>>();
  readonly #look: Look;
  readonly #rules: readonly CauseRule[];
  /** Set while the records of a canary run, and after. */
  canary: (() => CanaryState) | undefined;

  constructor(look: Look, rules: readonly CauseRule[]) {
    this.#look = look;
    this.#rules = rules;
  }

  /**
   * Takes what a response shows of the targets that a record is `about`, or of all. While it runs, only the targets
   * `good` are done.
   */
  see(
    record: BatchRecord,
    data: unknown,
    about?: readonly string[],
    good: readonly string[] = [],
  ): void {
    for (const target of targetsOf(data, about))
      this.#set(record, target, good.includes(target.id) ? 'done' : 'waiting');
  }

  /** Takes the last response of a record that has ended. */
  end(
    record: BatchRecord,
    data: unknown,
    how: {
      readonly about?: readonly string[] | undefined;
      readonly bad?: readonly string[] | undefined;
      readonly verdict: RecordVerdict;
      readonly isRead: boolean;
      readonly isChange: boolean;
    },
  ): void {
    const { about, bad = [], verdict, isRead, isChange } = how;
    const shown = new Set<string>();
    for (const target of targetsOf(data, about)) {
      shown.add(target.id);
      const isBad = bad.includes(target.id) || (isRead && statusTone(target.status) === 'bad');
      const end = isBad ? 'failed' : target.status === 'published' ? 'done' : 'waiting';
      this.#set(record, target, end);
      if (isBad) this.#takeReason(target);
    }
    const isAccepted = isChange && (verdict === 'accepted' || verdict === 'ok');
    const rest = verdict === 'failed' || verdict === 'unknown' ? verdict : undefined;
    for (const [id, [platform, end]] of this.#targets.get(record) ?? [])
      if (end === 'waiting' && isAccepted) this.#move(record, id, platform, 'accepted');
      else if (end === 'waiting' && rest !== undefined && !shown.has(id))
        this.#move(record, id, platform, rest);
  }

  #set(record: BatchRecord, { id, platform: name }: TargetState, end: TargetEnd): void {
    const platform = this.#platforms.get(name) ?? {
      done: 0,
      failed: 0,
      unknown: 0,
      accepted: 0,
      waiting: 0,
    };
    this.#platforms.set(name, platform);
    this.#move(record, id, platform, end);
  }

  #move(record: BatchRecord, id: string, platform: Platform, end: TargetEnd): void {
    const known = this.#targets.get(record) ?? new Map<string, readonly [Platform, TargetEnd]>();
    this.#targets.set(record, known);
    const before = known.get(id);
    if (before !== undefined) before[0][before[1]]--;
    platform[end]++;
    known.set(id, [platform, end]);
  }

  /** Notes the error of a platform, and why it asks to wait. */
  #takeReason({ platform: name, error }: TargetState): void {
    if (typeof error !== 'string') return;
    const platform = this.#platforms.get(name)!;
    platform.error = error;
    const { cause, readFrom } = readCause(name, error, this.#rules);
    if (cause !== 'temporary') return;
    platform.reason = STATUS.exec(error)?.[0] ?? (readFrom && shortly(readFrom));
  }

  /** Names each platform of which nothing succeeded: `twitter 0 of 2: HTTP 429, opens in 0:58`. */
  failing(): readonly string[] {
    return [...this.#platforms].flatMap(([name, platform]) => {
      const { unknown, reason = '', error = unknown > 0 ? 'unknown' : 'accepted' } = platform;
      const all = totalOf(platform) - platform.waiting;
      if (all === 0 || platform.done > 0) return [];
      const why = STATUS.test(reason) ? `HTTP ${reason}` : excerpt(error, LONGEST_ERROR);
      return sanitizeLine(
        `${excerpt(name, LONGEST_NAME)} 0 of ${all}: ${why}${this.#opening(name)}`,
      );
    });
  }

  #opening(name: string): string {
    const leftMs = (this.#look.opensAt.get(name) ?? 0) - this.#look.monotonic();
    return leftMs > 0 ? `, opens in ${clockTime(leftMs)}` : '';
  }

  /** Makes the lines above the sum, at most `rows`. */
  lines(columns: number, rows: number): readonly string[] {
    const canary = this.canary === undefined ? [] : [this.#canaryLine(this.canary())];
    const most = Math.max(1, Math.min(MOST_PLATFORMS, rows - canary.length - 1));
    const shown = [...this.#platforms].slice(0, most);
    const more = this.#platforms.size - shown.length;
    const names = shown.map(([name]) => sanitizeLine(excerpt(name, LONGEST_NAME)));
    const nameWidth = Math.max(0, ...names.map(({ length }) => length));
    const counts = shown.map(([, platform]) => `${platform.done}/${totalOf(platform)}`);
    const countWidth = Math.max(0, ...counts.map(({ length }) => length));
    const lines = shown.map(([name, platform], i) => {
      const start = `${names[i]!.padEnd(nameWidth)} ${this.bar(platform.done, totalOf(platform))} ${counts[i]!.padStart(countWidth)}`;
      return this.#fitted([start, ...this.#wordsOf(name, platform)], columns, platform.failed > 0);
    });
    return [...lines, ...(more > 0 ? [`and ${more} more`] : []), ...canary];
  }

  bar(done: number, total: number): string {
    return barFor(this.#look)(done, total, BAR);
  }

  #wordsOf(name: string, platform: Platform): readonly string[] {
    const { failed, unknown, accepted, waiting, reason } = platform;
    return [
      failed > 0 ? `  ${failed} failed` : '',
      unknown > 0 ? `  ${unknown} unknown` : '',
      accepted > 0 ? `  ${accepted} accepted` : '',
      waiting > 0 ? `  ${waiting} waiting` : '',
      failed > 0 && reason !== undefined ? `  ${reason}${this.#opening(name)}` : '',
    ].filter((part) => part !== '');
  }

  /** Formats `canary ✓ 14/20`, with the word where there is no sign, or no sign says it. */
  #canaryLine({ all, done, end }: CanaryState): string {
    const { colors } = this.#look;
    const tones = { running: 'moving', passed: 'good', failed: 'bad', stopped: 'still' } as const;
    const tone = tones[end];
    const hasSigns = hasUtf8(this.#look);
    const sign = hasSigns ? `${colors[tone](colors.signs[tone])} ` : '';
    return `canary ${sign}${done}/${all}${hasSigns && end !== 'stopped' ? '' : ` ${end}`}`;
  }

  /** Joins the parts that fit; the number of failures is red. */
  #fitted(parts: readonly string[], columns: number, isBad: boolean): string {
    const line = fittedLine(parts, columns);
    return isBad ? line.replace(/ \d+ failed/, (text) => this.#look.colors.bad(text)) : line;
  }
}

const totalOf = ({ done, failed, unknown, accepted, waiting }: Platform) =>
  done + failed + unknown + accepted + waiting;

const targetsOf = (data: unknown, about: readonly string[] | undefined) =>
  hasTargets(data) ? data.targets.filter(({ id }) => about?.includes(id) ?? true) : [];
