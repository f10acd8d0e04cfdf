// The whole command line: builds the commands that this call names, parses, runs, reports.
// The only place that turns a failure into text and an exit code.

import { Command, CommanderError } from 'commander';
import { type AreaName, areas, operationsOf } from './api/operations/registry.ts';
import { afterTraffic } from './base/errors.ts';
import type { Host, OutputStream, Runtime } from './base/runtime.ts';
import { forActionsLog, stripControls } from './base/sanitize.ts';
import { version } from './base/version.ts';
import { requireSubcommand, makeGroup, UnknownCommand } from './cli/command-group.ts';
import { addGlobalFlags } from './cli/commander-options.ts';
import { configureHelp } from './cli/help.ts';
import { proxySecrets } from './client/transport/proxy.ts';
import { hooksFor } from './commands/operation-hooks.ts';
import { addLocalCommands } from './commands/registry.ts';
import {
  colorFromArgv,
  colorsFor,
  forLocale,
  inAscii,
  isUnicode,
  wantsColor,
} from './output/color.ts';
import { noteTo } from './output/notes.ts';
import { asFailure, formatFailure } from './output/error-report.ts';
import { createSecrets } from './output/redact.ts';
import { helpWidth } from './output/wrap.ts';
import type { CommandContext } from './cli/command-group.ts';
import { type ColorWish, switchedOn } from './config/choices.ts';
import { colorSetting } from './config/trusted-file.ts';

/** Runs a command line (without node and script). Resolves with the exit code; never rejects. */
export async function runProgram(argv: readonly string[], host: Host): Promise<number> {
  const atEnd: (() => void)[] = [];
  const runtime = runtimeOf(host, (run) => void atEnd.push(run));
  const pages: string[] = [];
  const commandContext: CommandContext = {
    runtime,
    argv,
    named: namedIn(argv),
    hooksFor,
    tree: async () =>
      (await import('./cli/read-command-tree.ts')).readCommandTree((wanted) =>
        buildProgram({ ...commandContext, ...wanted }, () => undefined),
      ),
  };
  try {
    if (argv[0] === '__tree') {
      // For the build: completion is answered from it.
      await runtime.stdout.write(`${JSON.stringify(await commandContext.tree())}\n`);
      return 0;
    }
    const program = await buildProgram(commandContext, (text) => void pages.push(text));
    await program.parseAsync(argv, { from: 'user' }).catch((error: unknown) => {
      if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
    });
    if (pages.length > 0) await runtime.stdout.write(forLocale(pages.join(''), runtime.env));
    return 0;
  } catch (error) {
    const failure = afterTraffic(
      asFailure(await translated(error, commandContext)),
      runtime.traffic!,
    );
    if (failure.facts.silent === true) return failure.exitCode;
    const debug = argv.includes('--debug') || switchedOn(runtime.env['SOCIAL_DEBUG']) === true;
    const { stderr } = runtime;
    const tone = await colorsFor(stderr, { color: wishOf(argv, runtime) }, runtime);
    const width = stderr.isTTY ? stderr.columns : undefined;
    const json = wantsJson(argv, runtime);
    const report = formatFailure(failure, {
      json,
      debug,
      tone,
      redact: runtime.secrets.mask,
      width,
    });
    await stderr.write(report);
    return failure.exitCode;
  } finally {
    for (const run of atEnd) run();
  }
}

/** What the parser and the groups throw, as a failure; anything else as it is. */
async function translated(error: unknown, { argv, tree }: CommandContext): Promise<unknown> {
  if (!(error instanceof CommanderError || error instanceof UnknownCommand)) return error;
  const { parserFailure, unknownCommand } = await import('./cli/unknown-words.ts');
  return error instanceof UnknownCommand
    ? unknownCommand(error.group, await tree())
    : parserFailure(error, argv, await tree());
}

/** The colour of an error: by what was typed, else by the settings where they can be read. */
function wishOf(argv: readonly string[], runtime: Runtime): ColorWish {
  const wish = colorFromArgv(argv);
  if (wish.typed) return wish;
  return { choice: colorSetting(runtime) ?? wish.choice, typed: false };
}

/** Whether a word of the line may be a command: not where it names a context, for there is one called `sandbox`. */
function namedIn(argv: readonly string[]): (word: string) => boolean {
  const words = argv.filter((_word, i) => !['-C', '--context'].includes(argv[i - 1] ?? ''));
  return (word) => words.includes(word);
}

/**
 * The runtime of this program. All that a person reads goes through here: nothing from outside drives the terminal,
 * stderr holds no secret and, in a locale without Unicode, ASCII alone. What a program reads from stdout stays as it
 * is, and secrets in a result are masked where it is shown.
 */
function runtimeOf(host: Host, onEnd: Runtime['onEnd']): Runtime {
  const { env, stdout } = host;
  const secrets = createSecrets(env['SOCIAL_TOKEN'] ?? '', proxySecrets(host));
  const legible = isUnicode(env) ? stripControls : (text: string) => inAscii(stripControls(text));
  const inert = env['GITHUB_ACTIONS'] === 'true' ? forActionsLog : (text: string) => text;
  const stderr = through(host.stderr, (text) => inert(legible(secrets.mask(text))));
  const note = noteTo(stderr);
  return {
    ...host,
    stdout: through(stdout, (text) => (stdout.isTTY ? stripControls(text) : text)),
    stderr,
    secrets,
    traffic: { reads: 0, changes: 0 },
    // A long note is cut: a part of a secret would not be known as one.
    note: (line) => note(secrets.mask(line)),
    onEnd,
  };
}

/** The same place for text, which changes what is written. */
function through(sink: OutputStream, change: (text: string) => string): OutputStream {
  return {
    get isTTY() {
      return sink.isTTY;
    },
    get columns() {
      return sink.columns;
    },
    get rows() {
      return sink.rows;
    },
    get gone() {
      return sink.gone ?? false;
    },
    write: (text) => sink.write(change(text)),
  };
}

/** The program with the commands below the words that are named; the others are there by name alone. */
async function buildProgram(
  commandContext: CommandContext,
  writeOut: (text: string) => void,
): Promise<Command> {
  const { named } = commandContext;
  const program = bare(commandContext, writeOut);
  for (const [area, { summary, groups }] of Object.entries(areas) as [
    AreaName,
    (typeof areas)[AreaName],
  ][]) {
    if (!named(area)) {
      program.command(area).summary(summary).helpGroup('Service:');
      continue;
    }
    makeGroup(program, area, summary).helpGroup('Service:');
    const [operations, { addOperationCommands }] = await Promise.all([
      operationsOf(area),
      import('./cli/operation-command.ts'),
    ]);
    for (const operation of operations)
      await addOperationCommands(program, operation, commandContext, groups);
  }
  await addLocalCommands(program, commandContext);
  return program;
}

function bare({ runtime, argv }: CommandContext, writeOut: (text: string) => void): Command {
  const { stdout, env } = runtime;
  const width = helpWidth(stdout);
  const program = new Command('social');
  program
    .exitOverride()
    .configureOutput({
      // Kept until it can be waited for: a page that cannot be written is no page.
      writeOut,
      writeErr: () => undefined,
      getOutHelpWidth: () => width,
      getOutHasColors: () => wantsColor(wishOf(argv, runtime), stdout.isTTY, env),
    })
    .enablePositionalOptions()
    .optionsGroup('Flags:')
    .description('Operate a social publishing service from the command line')
    .usage('<command> [flags]')
    .helpOption('-h, --help', 'Show this help')
    .helpCommand(false)
    .version(version, '-V, --version', 'Show the version');
  configureHelp(program, width);
  addGlobalFlags(program);
  return requireSubcommand(program);
}

/** Whether errors are wanted as JSON; read off the raw words, for the line may not parse. */
function wantsJson(argv: readonly string[], { env }: Runtime): boolean {
  // What follows `--` is no flag.
  const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length);
  if (words.includes('--json')) return true;
  const typed = words.flatMap((word, i) => {
    const attached = /^(?:-o|--output=)(.+)$/.exec(word)?.[1];
    return attached ?? (['-o', '--output'].includes(word) ? (words[i + 1] ?? []) : []);
  });
  const form = typed.at(-1) ?? env['SOCIAL_OUTPUT'] ?? '';
  return form === 'json' || form === 'ndjson';
}
