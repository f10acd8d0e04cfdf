// What must be so of every run, whatever was done to it.

/** C0 but newline and tab, DEL, C1, bidi and invisible controls, separators, byte order mark, tags, half characters. */
const DANGEROUS =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Surrogate}|[\u{e0000}-\u{e007f}]/u;

/** What the program itself may draw with on a terminal: colours, and moving within its own lines. */
const DRAWING = /\x1b\[(?:\?25[lh]|\?2026[lh]|\?2004[lh]|\d*(?:;\d+)*[mKGABCDJ])|\r(?=\n)/g;

export const CODES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 129, 130, 143];

/** The first character that must not reach a terminal, with what stands around it; `drawn` where it went to one. */
export function dangerIn(bytes, drawn = false) {
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return 'bytes that are not UTF-8';
  }
  const plain = drawn ? text.replace(DRAWING, '').replaceAll('\r', '') : text;
  const found = DANGEROUS.exec(plain);
  if (found === null) return undefined;
  const code = found[0].codePointAt(0).toString(16).padStart(4, '0');
  return `U+${code} in ${JSON.stringify(plain.slice(Math.max(0, found.index - 60), found.index + 40))}`;
}

/**
 * Checks what holds for every run: it ends, with a code of the list that is no fault of its own, and shows nothing odd.
 */
export function sound(run, check) {
  const { argv, code, hung, killed, stdout, stderr, bytes } = run;
  check(!hung, 'ends', run);
  if (hung || killed) return;
  check(CODES.includes(code), 'has an exit code of the list', run);
  check(code !== 1, 'is no internal error', run);
  const traced = argv.includes('--debug');
  check(traced || !/\n\s+at .+:\d+:\d+/.test(stderr), 'shows no stack', run);
  // In a pipe `--jq` gives the texts themselves, as `jq -r` does; at a terminal it is judged as all else.
  const shown = argv.includes('--jq') ? [bytes.stderr] : [bytes.stdout, bytes.stderr];
  const danger = shown.map((each) => dangerIn(each)).find((each) => each !== undefined);
  check(danger === undefined, 'shows no control character', run, danger);
  // A batch has shown what was done before, a wait the last state, a report what is wrong; a signal may come when all
  // has been said.
  const shows = argv.some(
    (word) => word.startsWith('--from') || ['status', 'doctor'].includes(word),
  );
  const single = !shows && code < 128 && ![0, 8, 10, 11].includes(code);
  if (single) check(stdout === '', 'leaves stdout empty on failure', run);
  if (code !== 0) check(stderr !== '' || code > 128, 'says why it failed', run);
}
