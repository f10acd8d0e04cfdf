// `completion bash|zsh|fish`: prints the shell's script on stdout, and how to install it on stderr. Writes no file.

import { scripts } from './scripts.ts';
import type { Call, CommandBody } from '../../cli/command-spec.ts';
import { printText } from '../../output/write-result.ts';
import { ownProperty } from '../../base/json.ts';
import { notAmong } from '../../base/suggestions.ts';
import { usageFailure } from '../../base/errors.ts';

const shells = Object.keys(scripts);

export const completionCommand: CommandBody = {
  details:
    'Completes commands, flags, values, context names, and IDs shown earlier on this machine. TAB needs no network and evaluates nothing that was typed. Installation instructions go to stderr; -q hides them.',
  operands: [{ name: 'shell', description: 'Shell', values: shells }],
  example: 'social completion bash',
  config: 'none',
  run: print,
};

async function print(call: Call): Promise<void> {
  const [shell] = call.operands;
  const chosen = ownProperty(scripts, shell ?? '');
  if (chosen === undefined) throw usageFailure(notAmong('shell', shell, shells));
  const { text: script, install } = chosen;
  await printText(call, script, { shell, script });
  call.runtime.note(`install: ${install}`);
}
