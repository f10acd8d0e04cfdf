// Reads the likely cause of a target's error from the rules of operators and the built-in table. Most causes are hints
// for people. `unsure` decides: such a target may be published already, and is retried only if it is named.

import { hasTargets } from '../api/schema/post.ts';
import { builtInRows, type ErrorForms, type Row } from './cause-table.ts';
import type { CauseRule, TargetCause } from './taught-causes.ts';
import { readAttempt, readUnsure } from './cause-unsure.ts';

export interface CauseReading {
  readonly cause: TargetCause;
  /** The source of the cause: `code 190`, `"token" in the text`, `causes.tsv line 4`; absent if the text is unknown. */
  readonly readFrom?: string | undefined;
}

/**
 * Returns the likely cause of a target's error: that of the first matching rule, else of the first matching row of the
 * table. The posts of a list share a few errors, and reading one costs as much as its request, so readings are kept.
 */
export function readCause(
  platform: string,
  error: string,
  rules: readonly CauseRule[] = [],
): CauseReading {
  if (platform.length + error.length > LONGEST_KEPT) return readAnew(platform, error, rules);
  const kept = readings.get(rules) ?? new Map<string, CauseReading>();
  readings.set(rules, kept);
  const key = JSON.stringify([platform, error]);
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= MOST_KEPT) kept.clear();
  const reading = readAnew(platform, error, rules);
  kept.set(key, reading);
  return reading;
}

/** Errors may have secrets, so readings go with the rules of their command: a server of tools runs for days. */
const readings = new WeakMap<readonly CauseRule[], Map<string, CauseReading>>();
/** Both limits keep the readings of a command within a few MiB, whatever a service sends. */
const MOST_KEPT = 500;
const LONGEST_KEPT = 1000;

function readAnew(platform: string, error: string, rules: readonly CauseRule[]): CauseReading {
  const lower = error.toLowerCase();
  const matching = rules.find(
    (rule) => (rule.platform === '*' || rule.platform === platform) && lower.includes(rule.match),
  );
  if (matching !== undefined) return { cause: matching.cause, readFrom: matching.readFrom };
  return readByTable(platform, error.slice(0, MAX_READ));
}

function readByTable(platform: string, error: string): CauseReading {
  const text = error.replaceAll('’', "'");
  const forms = {
    platform,
    text,
    words: wordsOf(text),
    wordsWithoutTypes: wordsOf(text.replace(TYPE_NAME, ' ')),
  };
  const unsure = readUnsure(forms);
  if (unsure !== undefined) return { cause: 'unsure', readFrom: `"${unsure}" in the text` };
  const { rows, vagueRows } = builtInRows();
  const reason = firstOf(rows, forms);
  if (reason !== undefined && !/temporary|other/.test(reason.cause)) return reason;
  // Nothing says why it was refused, and something says that it was sent: a retry could post it twice.
  const attempt = readAttempt(forms);
  if (attempt !== undefined) return { cause: 'unsure', readFrom: `"${attempt}" in the text` };
  return reason ?? firstOf(vagueRows, forms) ?? { cause: 'other' };
}

function firstOf(rows: readonly Row[], forms: ErrorForms): CauseReading | undefined {
  for (const { cause, read } of rows) {
    const readFrom = read(forms);
    if (readFrom !== undefined) return { cause, readFrom };
  }
  return undefined;
}

/** True if a target may be published already, although it failed. */
export const isUnsure = (
  { platform, error }: { readonly platform: string; readonly error?: unknown },
  rules: readonly CauseRule[],
): boolean => typeof error === 'string' && readCause(platform, error, rules).cause === 'unsure';

/** Returns the IDs of the targets of a post that failed and may be published already. */
export const unsureIn = (post: unknown, rules: readonly CauseRule[]): readonly string[] =>
  hasTargets(post)
    ? post.targets.filter((target) => isUnsure(target, rules)).map(({ id }) => id)
    : [];

/** The maximum number of characters of an error that are read. */
const MAX_READ = 4000;

const STATUS =
  /\b(?:answered|(?<!\b(?:url|image|media|file|link|video) )returned|replied|status(?:[ _]code)?|http|error code|error|failed with code)['"]?[ :=]+['"]?([45]\d\d)\b|^\W*([45]\d\d)\b|[,:(]\s*(50[234]|52\d)\W*$/i;

/**
 * Parts of a text that say nothing about the cause: the host, tags, addresses, the names of JSON members, and tokens
 * that do not belong to an account.
 */
const IRRELEVANT = [
  /\bhttp [45]\d\d from [\w.:-]+/gi,
  /<[^>]*>/g,
  /https?:\/\/\S+/g,
  /"\w+"\s*:/g,
  /\b(?:next[ _-]?page|pagination|continuation|csrf|xsrf|idempotency|cancellation|upload)[ _-]?tokens?\b/gi,
  /\b(?:\d+ tokens|tokens? (?:limit|count|length|bucket|server|service|endpoint))\b/gi,
];

/** The name of a type says what failed, not that the content is at fault: `RestLiValidationException`. */
const TYPE_NAME = /\b(?!\w*(?:Too[A-Z]|Duplicate|Exceed))[A-Z]\w*(?:Error|Exception)\b/g;

/** Normalizes a text to words after its HTTP status, if any; `BlobTooLarge` and `file_check_failed` are split. */
function wordsOf(text: string): string {
  const [, named, leading, last] = STATUS.exec(text) ?? [];
  const relevant = IRRELEVANT.reduce((rest, part) => rest.replace(part, ' '), text)
    .replaceAll('_', ' ')
    .replace(/(?<=[a-z])(?<!\b(?:Tik|You))(?<!\bLinked(?=In\b))(?=[A-Z][a-z])/g, ' ')
    .replace(/\s+/g, ' ');
  return `HTTP ${named ?? leading ?? last ?? ''}. ${relevant}`;
}
