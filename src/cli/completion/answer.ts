// What a shell is told at a TAB: found with next to nothing loaded, for somebody is waiting with a finger on the key.

import { configFolder, stateFolder } from '../../folders.ts';
import { candidates } from './candidates.ts';

/** The candidates for a kind of value on a line, as the completion scripts read them. */
export function answerTab(
  [kind = '', ...words]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  home: () => string,
): string {
  const [configDir, stateDir] = [configFolder(env, home), stateFolder(env, home)];
  return candidates({ kind, words, env, configDir, stateDir });
}
