// Reads the likely cause of a target's error from the table of causes, as a hint for people: no decision depends on it.

import { type CauseRule, ruleFor, type TargetCause } from './taught-causes.ts';
import { causeTable } from './cause-table.ts';

export interface CauseReading {
  readonly cause: TargetCause;
  /** The source of the cause: `code 190`, `"token" in the text`, `causes.tsv line 4`; absent if the text is unknown. */
  readonly readFrom?: string | undefined;
}

/**
 * Returns the likely cause of a target's error: that of the first matching rule, else of the first matching row of the
 * table.
 */
export function readCause(
  platform: string,
  error: string,
  rules: readonly CauseRule[] = [],
): CauseReading {
  const text = error.slice(0, MAX_READ).replaceAll('’', "'");
  const taught = ruleFor(rules, platform, text);
  if (taught !== undefined) return { cause: taught.cause, readFrom: taught.readFrom };
  const subject = { platform, text, words: wordsOf(text) };
  for (const { cause, read } of builtInRows()) {
    const readFrom = read(subject);
    if (readFrom !== undefined) return { cause, readFrom };
  }
  return { cause: 'other' };
}

/** True if an error names the post of which this one is a duplicate: it may be published already. */
export const namesPost = (error: string): boolean => /duplicate of (?:urn:|https?:)/i.test(error);

/** The maximum number of characters of an error that are read. */
const MAX_READ = 4000;

const STATUS =
  /\b(?:answered|status(?:[ _]code)?|http|error code|error|failed with code)['"]?[ :=]+['"]?([45]\d\d)\b|^\W*([45]\d\d)\b/i;

/** The host, tags, addresses and the names of JSON members say nothing about the cause. */
const NOT_SAID = [/\bhttp [45]\d\d from [\w.:-]+/gi, /<[^>]*>/g, /https?:\/\/\S+/g, /"\w+"\s*:/g];

/** Normalizes a text to words, its HTTP status first; `BlobTooLarge` and `file_check_failed` are split. */
function wordsOf(text: string): string {
  const [, named, leading] = STATUS.exec(text) ?? [];
  const said = NOT_SAID.reduce((rest, part) => rest.replace(part, ' '), text)
    .replaceAll('_', ' ')
    .replace(/(?<=[a-z])(?=[A-Z][a-z])/g, ' ')
    .replace(/\s+/g, ' ');
  return `HTTP ${named ?? leading ?? ''}. ${said}`;
}

interface Row {
  readonly cause: TargetCause;
  /** Returns the part of an error that the row matches, for people. */
  read(error: { platform: string; text: string; words: string }): string | undefined;
}

function rowsOf(table: string): readonly Row[] {
  const found: Row[] = [];
  let platforms: readonly string[] | undefined;
  // A line that is indented further than a row continues it.
  for (const line of table.replace(/\n {3,}/g, ' ').split('\n')) {
    const [first = '', ...rest] = line.trim().split(/\s+/);
    if (first === '' || first === '#') continue;
    if (line.startsWith(' '))
      found.push({
        cause: first as TargetCause,
        read: platforms === undefined ? readWords(rest) : readCodes(platforms, rest),
      });
    else platforms = first === 'codes' ? rest : undefined;
  }
  return found;
}

function readWords(parts: readonly string[]): Row['read'] {
  const phrases = parts.join(' ').split(' | ').map(withEnding);
  const choice = phrases.join('|').replaceAll(' … ', ' (?:.{0,80} )?');
  const pattern = new RegExp(`\\b(?:${choice})(?!\\w)`, 'i');
  return ({ words }) => {
    const [said] = pattern.exec(words) ?? [];
    return said === undefined || said.startsWith('HTTP ') ? said : `"${said}" in the text`;
  };
}

/** A short number is a code only if the text marks it as one: `(#190)`, `code 190`, `"error_subcode": 463`. */
const LABEL = String.raw`(?:#|(?<!status[ _]?)code['"]?[ :=#]+['"]?|error['"]?[ :=#]+['"]?|[([])-?`;
const NO_AMOUNT = String.raw`\b(?![.,]?\d|\s*(?:characters|pixels|px|[km]b|bytes|seconds|s)\b)`;

function readCodes(platforms: readonly string[], codes: readonly string[]): Row['read'] {
  const choice = (kind: RegExp) =>
    codes
      .filter((code) => kind.test(code))
      .map(withEnding)
      .join('|') || '(?!)';
  const patterns = [
    new RegExp(`${LABEL}(${choice(/^\d{1,4}\*?$/)})${NO_AMOUNT}`, 'i'),
    new RegExp(`\\b(${choice(/^\d{5,}$/)})${NO_AMOUNT}`),
    new RegExp(`\\b((?:${choice(/[a-z]/i)})\\w*)`),
  ];
  return ({ platform, text }) => {
    if (!platforms.includes(platform)) return undefined;
    const found = patterns
      .map((pattern) => pattern.exec(text)?.[1])
      .find((code) => code !== undefined);
    return found === undefined ? undefined : `code ${found}`;
  };
}

function withEnding(part: string): string {
  return part.replaceAll('*', String.raw`\w*`);
}

/** Makes a function that computes its value at the first call. */
function onDemand<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}

/** Parsing the table takes 2 ms, and most commands read no error. */
const builtInRows = onDemand(() => rowsOf(causeTable));
