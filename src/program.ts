// The whole command line: commander parses it, the named command runs, and a failure becomes text and an exit code.

import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { afterTraffic, asFailure, type Failure, ifPossible } from './base/errors.ts';
import { ownJson } from './base/json.ts';
import { fileNames } from './base/paths.ts';
import type { Host, OutputStream, Runtime } from './base/runtime.ts';
import { forActionsLog, stripControls } from './base/sanitize.ts';
import { version } from './base/version.ts';
import { addWords, HelpBefore } from './cli/add-command.ts';
import { type Program, SUMMARY } from './cli/command-spec.ts';
import { configureHelp, helpRows, helpWidth } from './cli/help.ts';
import type { FlagTexts } from './cli/run-command.ts';
import { words } from './commands/registry.ts';
import { PROXY_VARIABLES, proxyUrl } from './base/url.ts';
import {
  type ColorChoice,
  colorChoices,
  type ColorWish,
  isJsonForm,
  readSwitch,
} from './config/flags.ts';
import { readIfPresent } from './fs/safe-read.ts';
import { colorsFor, wantsColor } from './output/color.ts';
import { formatFailure } from './output/error-report.ts';
import { noteTo } from './output/wrap.ts';
import { createSecrets } from './output/redact.ts';

/**
 * Runs a command line (without node and script). Resolves with the exit code. Rejects only if a failure cannot be
 * reported.
 */
export async function runProgram(argv: readonly string[], host: Host): Promise<number> {
  const atEnd: (() => void)[] = [];
  const runtime = runtimeOf(host, (run) => void atEnd.push(run));
  // The parser fills this map, so that a line that fails half-way is still reported in the form that it asks for.
  const flagTexts = new Map<string, true | string[]>();
  try {
    if (argv[0] === '__tree')
      // The build stores this tree, from which completion is answered.
      await runtime.stdout.write(`${JSON.stringify(await tree())}\n`);
    else await parse(argv, flagTexts, runtime);
    return 0;
  } catch (error) {
    const { UnknownCommand, unknownCommand } = await import('./cli/unknown-words.ts');
    const failed =
      error instanceof UnknownCommand ? unknownCommand(error, argv, await tree()) : error;
    // `runtimeOf` has set `traffic`.
    const failure = afterTraffic(asFailure(failed), runtime.traffic!);
    if (failure.facts.silent !== true) await report(failure, flagTexts, runtime);
    return failure.exitCode;
  } finally {
    for (const run of atEnd) run();
  }
}

const tree = async () => (await import('./cli/command-tree.ts')).readCommandTree(words);

/** Lets commander parse the line, which runs the named command. */
async function parse(
  argv: readonly string[],
  flagTexts: Map<string, true | string[]>,
  runtime: Runtime,
): Promise<void> {
  const { stdout, env } = runtime;
  const width = helpWidth(stdout);
  // Help pages are collected and written at the end, because commander cannot wait for a write.
  const pages: string[] = [];
  const parser = new Command('social')
    .configureOutput({
      writeOut: (text) => void pages.push(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => width,
      getOutHasColors: () => wantsColor(colorWish(flagTexts, runtime), stdout.isTTY, env),
    })
    .enablePositionalOptions()
    .optionsGroup('Flags:')
    .description(SUMMARY)
    .helpOption('-h, --help', 'Show this help')
    .helpCommand(false)
    .version(version, '-V, --version', 'Show the version');
  configureHelp(parser, words, width);
  const program: Program = {
    words,
    run: runProgram,
    showHelp: async (path) => parse([...path, '--help'], flagTexts, runtime),
    showPage: (text) =>
      new Command()
        .copyInheritedSettings(parser)
        .configureHelp({ formatHelp: () => text })
        .outputHelp(),
  };
  addWords(parser, words, {
    flagTexts,
    helpSize: { width, rows: helpRows(stdout) },
    onCommand: async (spec, rest) => {
      const { runCommand } = await import('./cli/run-command.ts');
      await runCommand(spec, { argv, words: rest, flagTexts }, runtime, program);
    },
  });
  // Many programs have this word.
  const line = argv.join(' ') === 'version' ? ['--version'] : argv;
  await parser.parseAsync(line, { from: 'user' }).catch(async (error: unknown) => {
    if (error instanceof HelpBefore) return program.showHelp(error.words);
    // Commander ends by its own error after help and version; faults of the line are failures (`throwErrors`).
    if (!(error instanceof CommanderError)) throw error;
  });
  if (pages.length > 0) await stdout.write(pages.join(''));
}

/** Reports a failure in the form that the flags, as far as they were parsed, and the environment ask for. */
async function report(failure: Failure, flagTexts: FlagTexts, runtime: Runtime): Promise<void> {
  const { stderr, env, secrets } = runtime;
  const form = lastOf(flagTexts, 'output') ?? env['SOCIAL_OUTPUT'];
  const text = formatFailure(failure, {
    json: flagTexts.has('json') || isJsonForm(form),
    debug: flagTexts.has('debug') || readSwitch(env['SOCIAL_DEBUG']) === true,
    colors: colorsFor(stderr, { color: colorWish(flagTexts, runtime) }, runtime),
    redact: secrets.mask,
    width: stderr.isTTY ? stderr.columns : undefined,
  });
  await stderr.write(text);
}

/** Returns the last text of a repeated flag. */
function lastOf(flagTexts: FlagTexts, key: string): string | undefined {
  const texts = flagTexts.get(key);
  return texts === undefined || texts === true ? undefined : texts.at(-1);
}

/** Returns the colour of help and errors: by the command line, else by the settings if they can be read. */
function colorWish(flagTexts: FlagTexts, runtime: Runtime): ColorWish {
  if (flagTexts.has('noColor')) return { choice: 'never', typed: true };
  const choice = colorChoices.find((word) => word === lastOf(flagTexts, 'color'));
  if (choice !== undefined) return { choice, typed: true };
  return { choice: storedColor(runtime) ?? 'auto', typed: false };
}

const MAX_CONFIG_BYTES = 1024 * 1024;

/** Reads the colour from the settings, and nothing else: loading the rules for all of them slows help by a third. */
function storedColor(runtime: Runtime): ColorChoice | undefined {
  const path = join(runtime.configDir(), fileNames.config);
  const text = ifPossible(() => readIfPresent(path, MAX_CONFIG_BYTES)?.toString()) ?? '{}';
  const { color } = Object(ownJson(text)) as { readonly color?: unknown };
  return colorChoices.find((choice) => choice === color);
}

/**
 * Makes the runtime of this program. All text for people goes through here: nothing from outside drives the terminal,
 * stderr has no secret. Output for programs stays unchanged, and secrets in a result are masked where it is shown.
 */
function runtimeOf(host: Host, onEnd: Runtime['onEnd']): Runtime {
  const { env, stdout } = host;
  const secrets = createSecrets(env['SOCIAL_TOKEN'] ?? '', proxyPasswords(env));
  const withoutWorkflowCommands =
    env['GITHUB_ACTIONS'] === 'true' ? forActionsLog : (text: string) => text;
  const stderr = through(host.stderr, (text) =>
    withoutWorkflowCommands(stripControls(secrets.mask(text))),
  );
  const note = noteTo(stderr);
  return {
    ...host,
    stdout: through(stdout, (text) => (stdout.isTTY ? stripControls(text) : text)),
    stderr,
    secrets,
    traffic: host.traffic ?? { reads: 0, changes: 0 },
    // The note is masked before it is cut, because a part of a secret would not be recognised.
    note: (line) => note(secrets.mask(line)),
    onEnd,
  };
}

/** Returns the passwords of the proxies in the environment, as they are and decoded. */
const proxyPasswords = (env: Runtime['env']): readonly string[] =>
  PROXY_VARIABLES.flatMap((name) => {
    const { password = '' } = ifPossible(() => proxyUrl(env[name] ?? '')) ?? {};
    return [password, ifPossible(() => decodeURIComponent(password)) ?? ''];
  });

/** Makes a stream that changes the text and inherits everything else, also `columns`, which changes with the window. */
const through = (stream: OutputStream, change: (text: string) => string): OutputStream =>
  Object.create(stream, {
    write: { value: (text: string) => stream.write(change(text)) },
  }) as OutputStream;
