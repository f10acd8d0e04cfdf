// What every command is given when it is built: types alone.

import type { Runtime } from '../base/runtime.ts';
import type { CommandHooks } from '../client/call-context.ts';
import type { CommandTree, WholeProgram } from './read-command-tree.ts';

export interface CommandContext extends Pick<WholeProgram, 'named'> {
  /** The whole command line as data; loads every command. */
  readonly tree: () => Promise<CommandTree>;
  readonly runtime: Runtime;
  /** The words as they were typed. */
  readonly argv: readonly string[];
  /** Takes the help that the parser writes. */
  readonly page: (text: string) => void;
  /** What a command does beyond its operation, loaded when the line names it. */
  readonly hooksFor: (command: string) => Promise<CommandHooks>;
  readonly describe?: WholeProgram['describe'];
}
