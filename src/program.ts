// The whole command line: builds the commands that this call names, parses, runs, reports.
// The only place that turns a failure into text and an exit code.

import { Command, CommanderError } from 'commander';
import { type AreaName, areas, operationsOf } from './api/operations/registry.ts';
import { type Failure, usageFailure } from './base/errors.ts';
import type { OutputStream, Runtime } from './base/runtime.ts';
import { stripControls } from './base/sanitize.ts';
import { version } from './base/version.ts';
import { requireSubcommand, makeGroup } from './cli/command-group.ts';
import { addGlobalFlags } from './cli/commander-options.ts';
import { styleHelp } from './cli/help.ts';
import { proxySecrets } from './client/transport/proxy.ts';
import { addLocalCommands } from './commands/registry.ts';
import { colorFromArgv } from './output/color.ts';
import { asFailure, formatFailure } from './output/error-report.ts';
import { createRedactor } from './output/redact.ts';
import { wrapCommand, wrapText, helpWidth } from './output/wrap.ts';
import type { CommandContext } from './cli/command-context.ts';
import type { ColorWish } from './config/choices.ts';
import { colorsFor } from './output/stream-colors.ts';
import { forLocale, inAscii, isUnicode } from './output/locale.ts';

/** Runs a command line (without node and script). Resolves with the exit code; never rejects. */
export async function runProgram(argv: readonly string[], given: Runtime): Promise<number> {
  const { hide, mask } = hiding([given.env['SOCIAL_TOKEN'] ?? '', ...proxySecrets(given)]);
  const runtime = discreet(legible(given), mask);
  try {
    const pages: string[] = [];
    const commandContext: CommandContext = {
      runtime,
      argv,
      hide,
      mask,
      named: namedIn(argv),
      page: (text) => void pages.push(text),
      tree: async () =>
        (await import('./cli/read-command-tree.ts')).readCommandTree((wanted) =>
          buildProgram({ ...commandContext, ...wanted }),
        ),
    };
    if (argv[0] === '__complete') return await answerTab(argv.slice(1), commandContext);
    const program = await buildProgram(commandContext);
    await program.parseAsync(argv, { from: 'user' }).catch((error: unknown) => {
      if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
    });
    await runtime.stdout.write(forLocale(pages.join(''), runtime.env));
    return 0;
  } catch (error) {
    const failure = asFailure(error instanceof CommanderError ? fromCommander(error) : error);
    const debug = argv.includes('--debug') || (runtime.env['SOCIAL_DEBUG'] ?? '') !== '';
    const { stderr } = runtime;
    const tone = await colorsFor(stderr, { color: await wishOf(argv, runtime) }, runtime);
    const width = stderr.isTTY ? stderr.columns : undefined;
    const json = wantsJson(argv, runtime);
    const report = formatFailure(failure, { json, debug, tone, redact: mask, width });
    await stderr.write(debug ? await withSources(report, runtime) : report);
    return failure.exitCode;
  }
}

/** A report with a stack in it, whose places are those of the sources where it is known. */
async function withSources(report: string, { program }: Runtime): Promise<string> {
  return (await import('./output/stack-sources.ts')).inSources(report, program.folder);
}

/** What a shell asks at a TAB, which is told of no fault. */
async function answerTab(asked: readonly string[], context: CommandContext): Promise<number> {
  try {
    const { completeUnprepared } = await import('./commands/completion/unprepared.ts');
    await context.runtime.stdout.write(await completeUnprepared(asked, context));
    return 0;
  } catch {
    return asked.length === 0 ? 1 : 0;
  }
}

/** The colour of an error: by what was typed, else by the settings where they can be read. */
async function wishOf(argv: readonly string[], runtime: Runtime): Promise<ColorWish> {
  const wish = colorFromArgv(argv);
  if (wish.typed) return wish;
  try {
    const { readConfig } = await import('./config/file.ts');
    return { choice: readConfig(runtime).color ?? wish.choice, typed: false };
  } catch {
    return wish;
  }
}

/** What must not be shown, as it is now: lists that are hidden may grow, and are given up again. */
function hiding(always: readonly string[]): Pick<CommandContext, 'hide' | 'mask'> {
  const hidden = new Set([always]);
  let [known, masking]: [readonly string[], (text: string) => string] = [[], (text) => text];
  return {
    hide(secrets) {
      hidden.add(secrets);
      return () => void hidden.delete(secrets);
    },
    mask(text) {
      const now = [...hidden].flat();
      const same = now.length === known.length && now.every((each, i) => each === known[i]);
      if (!same) [known, masking] = [now, createRedactor(now)];
      return masking(text);
    },
  };
}

/** The same world with no secret in what is said on stderr, whoever says it. Results are the business of who shows them. */
const discreet = (runtime: Runtime, mask: (text: string) => string): Runtime => ({
  ...runtime,
  stderr: through(runtime.stderr, mask),
});

/** Whether a word of the line may be a command: not where it names a context, for there is one called `sandbox`. */
function namedIn(argv: readonly string[]): (word: string) => boolean {
  const words = argv.filter((_word, i) => !['-C', '--context'].includes(argv[i - 1] ?? ''));
  return (word) => words.includes(word);
}

/**
 * The same world, with words on stderr that its locale can show. Whatever reaches a person passes one fence here, so
 * that nothing from outside drives the terminal; what a program reads from stdout stays as it is.
 */
function legible(runtime: Runtime): Runtime {
  const { stdout, stderr, env } = runtime;
  const plain = isUnicode(env) ? stripControls : (text: string) => inAscii(stripControls(text));
  return {
    ...runtime,
    stdout: through(stdout, (text) => (stdout.isTTY ? stripControls(text) : text)),
    stderr: through(stderr, plain),
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
    get gone() {
      return sink.gone ?? false;
    },
    write: (text) => sink.write(change(text)),
  };
}

/** The program with the commands below the words that are named; the others are there by name alone. */
async function buildProgram(commandContext: CommandContext): Promise<Command> {
  const { named } = commandContext;
  const program = bare(commandContext);
  for (const [area, { summary, groups }] of Object.entries(areas) as [
    AreaName,
    (typeof areas)[AreaName],
  ][]) {
    if (!named(area)) {
      program.command(area).summary(summary).helpGroup('Service:');
      continue;
    }
    makeGroup(program, area, summary).helpGroup('Service:');
    const [operations, { addOperationCommands }, { hooksFor }] = await Promise.all([
      operationsOf(area),
      import('./cli/operation-command.ts'),
      import('./commands/operation-hooks.ts'),
    ]);
    for (const operation of operations)
      addOperationCommands(
        program,
        operation,
        { groups, hooks: hooksFor(operation.command) },
        commandContext,
      );
  }
  await addLocalCommands(program, commandContext);
  return program;
}

function bare({ runtime: { stdout }, page }: CommandContext): Command {
  const program = new Command('social');
  program
    .exitOverride()
    .configureOutput({
      // Kept until it can be waited for: a page that cannot be written is no page.
      writeOut: page ?? (() => undefined),
      writeErr: () => undefined,
      getOutHelpWidth: () => helpWidth(stdout),
    })
    .enablePositionalOptions()
    .description('Operate a social publishing service from the command line')
    .usage('<command> [flags]')
    .helpOption('-h, --help', 'Show this help')
    .helpCommand(false)
    .version(version, '-V, --version', 'Show the version')
    .addHelpText('after', () => tryIt(helpWidth(stdout)));
  styleHelp(program);
  addGlobalFlags(program);
  return requireSubcommand(program);
}

function tryIt(width: number): string {
  const title = wrapText('Try it on the embedded service, with nothing configured:', width, '');
  return `\n${title}\n${wrapCommand('social -C sandbox posts get PostSpringLaunch', width)}\n`;
}

/** The parser's own complaints, less any value that was typed. */
function fromCommander({ code, message }: CommanderError): Failure {
  const text = message.replace(/^error: /, '');
  const option = /option '(?:-\w, )?([^' <]+)/.exec(text)?.[1];
  if (code === 'commander.optionMissingArgument' && option !== undefined) {
    return usageFailure([{ field: option, problem: 'needs a value' }]);
  }
  return usageFailure([{ field: 'command line', problem: text }]);
}

/** Whether errors are wanted as JSON; read off the raw words, for the line may not parse. */
function wantsJson(argv: readonly string[], { env }: Runtime): boolean {
  const forms = ['json', 'ndjson'];
  return (
    argv.some((word, i) => {
      if (word === '--json') return true;
      const value =
        /^(?:-o|--output=)(.+)$/.exec(word)?.[1] ??
        (word === '-o' || word === '--output' ? argv[i + 1] : undefined);
      return value !== undefined && forms.includes(value);
    }) ||
    (forms.includes(env['SOCIAL_OUTPUT'] ?? '') &&
      !argv.includes('-o') &&
      !argv.includes('--output'))
  );
}
