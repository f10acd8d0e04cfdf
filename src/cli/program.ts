// The whole command line: builds the commands that this call names, parses, runs, reports.
// The only place that turns a failure into text and an exit code.

import { Command, CommanderError } from 'commander';
import { usageFailure, type Failure } from '../errors.ts';
import { areas, operationsOf, type AreaName } from '../operations/areas.ts';
import { forLocale, inAscii, isUnicode } from '../output/locale.ts';
import { redactor } from '../output/redact.ts';
import { fence } from '../output/sanitize.ts';
import type { ColorWish } from '../output/signs.ts';
import { version } from '../version.ts';
import type { Sink, World } from '../world.ts';
import { addLocalCommands } from './commands/table.ts';
import { answerForItself, makeGroup } from './group.ts';
import { foldCommand } from './fold-command.ts';
import { fold, helpWidth, styleHelp } from './help-page.ts';
import { addGlobalFlags } from './options.ts';
import { asFailure, reportOf } from './report.ts';
import { proxySecrets } from './proxy-secrets.ts';
import { toneOf } from './tone-of.ts';
import { typedColor } from './typed-color.ts';
import type { Surroundings } from './verb.ts';

/** Runs a command line (without node and script). Resolves with the exit code; never rejects. */
export async function run(argv: readonly string[], given: World): Promise<number> {
  const { hide, mask } = hiding([given.env['SOCIAL_TOKEN'] ?? '', ...proxySecrets(given)]);
  const world = discreet(legible(given), mask);
  try {
    const pages: string[] = [];
    const program = await buildProgram({
      world,
      argv,
      hide,
      mask,
      named: namedIn(argv),
      page: (text) => void pages.push(text),
    });
    await program.parseAsync(argv, { from: 'user' }).catch((error: unknown) => {
      if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
    });
    await world.stdout.write(forLocale(pages.join(''), world.env));
    return 0;
  } catch (error) {
    const failure = asFailure(error instanceof CommanderError ? fromCommander(error) : error);
    const debug = argv.includes('--debug') || (world.env['SOCIAL_DEBUG'] ?? '') !== '';
    const { stderr } = world;
    const tone = await toneOf(stderr, { color: await wishOf(argv, world) }, world);
    const width = stderr.isTTY ? stderr.columns : undefined;
    const json = wantsJson(argv, world);
    const report = reportOf(failure, { json, debug, tone, redact: mask, width });
    await stderr.write(debug ? await withSources(report, world) : report);
    return failure.exitCode;
  }
}

/** A report with a stack in it, whose places are those of the sources where it is known. */
async function withSources(report: string, { program }: World): Promise<string> {
  return (await import('./source-places.ts')).inSources(report, program.folder);
}

/** The colour of an error: by what was typed, else by the settings where they can be read. */
async function wishOf(argv: readonly string[], world: World): Promise<ColorWish> {
  const wish = typedColor(argv);
  if (wish.typed) return wish;
  try {
    const { readConfig } = await import('./config.ts');
    return { choice: readConfig(world).color ?? wish.choice, typed: false };
  } catch {
    return wish;
  }
}

/** What must not be shown, as it is now: lists that are hidden may grow, and are given up again. */
function hiding(always: readonly string[]): Pick<Surroundings, 'hide' | 'mask'> {
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
      if (!same) [known, masking] = [now, redactor(now)];
      return masking(text);
    },
  };
}

/** The same world with no secret in what is said on stderr, whoever says it. Results are the business of who shows them. */
const discreet = (world: World, mask: (text: string) => string): World => ({
  ...world,
  stderr: through(world.stderr, mask),
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
function legible(world: World): World {
  const { stdout, stderr, env } = world;
  const plain = isUnicode(env) ? fence : (text: string) => inAscii(fence(text));
  return {
    ...world,
    stdout: through(stdout, (text) => (stdout.isTTY ? fence(text) : text)),
    stderr: through(stderr, plain),
  };
}

/** The same place for text, which changes what is written. */
function through(sink: Sink, change: (text: string) => string): Sink {
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
export async function buildProgram(around: Surroundings): Promise<Command> {
  const { named } = around;
  const program = bare(around);
  for (const [area, { summary, groups }] of Object.entries(areas) as [
    AreaName,
    (typeof areas)[AreaName],
  ][]) {
    if (!named(area)) {
      program.command(area).summary(summary).helpGroup('Service:');
      continue;
    }
    makeGroup(program, area, summary).helpGroup('Service:');
    const [operations, { addVerb }] = await Promise.all([operationsOf(area), import('./verb.ts')]);
    for (const operation of operations) addVerb(program, operation, groups, around);
  }
  await addLocalCommands(program, around);
  return program;
}

function bare({ world: { stdout }, page }: Surroundings): Command {
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
  return answerForItself(program);
}

function tryIt(width: number): string {
  const title = fold('Try it on the embedded service, with nothing configured:', width, '');
  return `\n${title}\n${foldCommand('social -C sandbox posts get PostSpringLaunch', width)}\n`;
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
function wantsJson(argv: readonly string[], { env }: World): boolean {
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
