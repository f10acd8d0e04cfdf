// Where a command stands below the program.

import type { Command } from 'commander';

/** `social accounts mastodon` */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The program that a command belongs to. */
export function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
