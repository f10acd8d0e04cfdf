// Files that other programs read, and that a later version of this program renews: a skill, a script of a shell. The last
// line of each is a comment with a hash of all above it: if it is right, the file was not edited.

import { asFailure } from '../base/errors.ts';
import { hashOf } from '../base/hash.ts';
import { version } from '../base/version.ts';
import { refuseForeignFile, saveFile } from './atomic-write.ts';
import { readIfPresent } from './safe-read.ts';

export interface InstalledFile {
  readonly path: string;
  /** The text, with its last newline. */
  readonly text: string;
  /** The marks around a comment in this file. */
  readonly comment: readonly [string, string];
}

type State = 'written' | 'updated' | 'up to date';
type Installation = State | `would be ${State}`;

const MAX_BYTES = 1024 * 1024;

/**
 * Installs files, all or, if one of them is refused, none. Returns what became of each, or with `dryRun` would. Throws
 * `Failure('local_io')` for a file that this program did not write, or that was changed since.
 */
export function installFiles(
  files: readonly InstalledFile[],
  dryRun: boolean,
): readonly Installation[] {
  const states = files.map(stateOf);
  return states.map((state, i) => {
    if (state === 'up to date') return state;
    if (dryRun) return `would be ${state}` as const;
    saveFile(files[i]!.path, marked(files[i]!));
    return state;
  });
}

function stateOf(file: InstalledFile): State {
  const { path, text } = file;
  const found = readIfPresent(path, MAX_BYTES)?.toString();
  if (found === marked(file)) return 'up to date';
  try {
    // The plain text is what the command prints.
    refuseForeignFile(path, () => found === text || isUnchanged(found ?? ''));
  } catch (error) {
    if (found === undefined) throw error;
    const what = `cannot write ${path}: it was changed since social installed it`;
    throw asFailure(error).with({
      ...(found.includes(`, ${RENEWS}: `) && { what }),
      hint: 'social replaces only a file that it installed and that was not edited: move this one away, then repeat the command',
    });
  }
  return found === undefined ? 'written' : 'updated';
}

const marked = ({ text, comment: [start, end] }: InstalledFile): string =>
  `${text}${start}installed by social ${version}, ${RENEWS}: ${hashOf(text)}${end}\n`;

const RENEWS = 'which renews it while it is unchanged';
const MARK = new RegExp(
  `(?<=\\n)(?:<!-- |# )installed by social \\S+, ${RENEWS}: ([\\da-f]{16})(?: -->)?\\n$`,
);

/** True for a text with its own hash in the last line. */
function isUnchanged(found: string): boolean {
  const mark = MARK.exec(found);
  return mark !== null && hashOf(found.slice(0, mark.index)) === mark[1];
}
