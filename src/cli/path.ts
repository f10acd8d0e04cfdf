// Where a command stands below the program.

import type { Command } from 'commander';

/** `social accounts mastodon` */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
