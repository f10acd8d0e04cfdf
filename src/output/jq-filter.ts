// `--jq`: the JSON that a command writes on stdout goes through jq first, document by document, like `--json | jq -r`,
// with the expression compiled before anything is sent. jq runs in this thread: an expression without an end hears no
// Ctrl-C, and is stopped by Ctrl-\ (SIGQUIT).

import { Console } from 'node:console';
import { createRequire } from 'node:module';
import { PassThrough } from 'node:stream';
import { Failure, ifPossible } from '../base/errors.ts';
import type { Fault } from '../base/fault.ts';
import { escapeInvisible, ownJson, parseJson, toJson } from '../base/json.ts';
import type { OutputStream, Runtime } from '../base/runtime.ts';
import { excerpt, sanitize, sanitizeLine } from '../base/sanitize.ts';
import type { Settings } from '../config/settings.ts';
import { isSecretName } from './redact-by-name.ts';

/** The npm name of the package, which is optional. */
export const JQ_PACKAGE = 'jq-web@0.6.2';

export interface Jq {
  /** Set to true by a batch that writes a line for each result: the expression then gets the data in each line. */
  takesResults: boolean;
  /** Applies the expression to one document. */
  apply(document: string): Run;
}

/** One run of jq: its output, or its error text. */
interface Run {
  readonly printed?: string | undefined;
  readonly error?: string;
}

/** Compiles the expression of the settings. Returns the filter or a fault; neither without an expression. */
export async function prepareFilter(
  { jq: expression }: Pick<Settings, 'jq'>,
  { env, secrets }: Pick<Runtime, 'env' | 'secrets'>,
): Promise<{ readonly filter?: Jq; readonly faults: readonly Fault[] }> {
  if (expression === undefined) return { faults: [] };
  const require = createRequire(import.meta.url);
  const path = ifPossible(() => require.resolve('jq-web'));
  if (path === undefined) {
    const fix = `add it with npm install --global ${JQ_PACKAGE}, or pipe --json into jq`;
    const problem = 'needs a package that was not installed with social';
    return { faults: [{ field: '--jq', problem, fix }] };
  }
  const { variables, fault } = variablesFor(expression, env, secrets);
  if (fault !== undefined) return { faults: [fault] };
  limitMemory();
  // jq shows its own messages there, with text of the service. This program uses no console.
  globalThis.console = new Console(new PassThrough().resume());
  const { raw } = (await require(path)) as { readonly raw: JqProgram };
  const flags = ['--argjson', 'social_env', toJson(variables)];
  const whole = bounded(expression);
  // Without any document an expression is compiled, and not run. In parentheses others are valid than alone. The space
  // keeps jq from reading an expression as an option.
  const { error } = [run(raw, '', ` ${expression}`, []), run(raw, '', whole, flags)].find(
    (compiled) => compiled.error !== undefined,
  ) ?? { error: undefined };
  if (error !== undefined) {
    const problem = `is not a valid jq expression: ${sanitizeLine(messageIn(error))}`;
    return { faults: [{ field: '--jq', problem }] };
  }
  const apply = (document: string) => run(raw, document, whole, flags);
  return { filter: { takesResults: false, apply }, faults: [] };
}

/** Returns the output of jq, or throws an error with what it wrote on stderr. It changes the list of flags. */
type JqProgram = (document: string, expression: string, flags: string[]) => string;

function run(raw: JqProgram, document: string, expression: string, flags: readonly string[]): Run {
  try {
    return { printed: raw(document, expression, ['-c', ...flags]) };
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    return { error: stderr ?? message };
  }
}

/** Names of variables that may hold a secret, beyond those of fields and headers. */
const SECRET_VARIABLE = /pass|cred|secret|token(?!_file)|_key|auth|_pat$|dsn$/i;

/** A URL with a user or a password. */
const URL_WITH_USER = /:\/\/[^/\s]*@/;

/**
 * Returns the variables that an expression may read as `$ENV` or `env`: none that may hold a secret. A fault if it names
 * one of those.
 */
function variablesFor(
  expression: string,
  env: Runtime['env'],
  { mask }: Runtime['secrets'],
): { readonly variables: Readonly<Record<string, string>>; readonly fault?: Fault } {
  const variables: Record<string, string> = {};
  if (!/\benv\b/i.test(expression)) return { variables };
  for (const [name, value = ''] of Object.entries(env)) {
    const isSecret = isSecretName(name) || SECRET_VARIABLE.test(name);
    if (!isSecret && mask(value) === value && !URL_WITH_USER.test(value)) variables[name] = value;
    else if (expression.split(/\W+/).includes(name)) {
      const problem = `cannot read ${name}: it may hold a secret`;
      return { variables, fault: { field: '--jq', problem, fix: 'pipe --json into jq' } };
    }
  }
  return { variables };
}

/** The maximum size of what an expression yields for one document; a response has at most 10 MiB. */
const MOST_OUTPUT_MIB = 16;
/** The size that is counted for each result besides its text: half a million results are too many. */
const RESULT_BYTES = 32;
const MOST_MEMORY_MIB = 512;
const PAGE_BYTES = 65_536;
const PAGES_PER_MIB = (1024 * 1024) / PAGE_BYTES;

/** Makes the expression that is run: it yields the results of another, and fails when they are too many or too large. */
const bounded = (expression: string): string => `
$social_env as $ENV | def env: $ENV;
foreach (
${expression}
) as $result (0;
  . + ${RESULT_BYTES} + ($result | tojson | utf8bytelength);
  if . > ${MOST_OUTPUT_MIB * 1024 * 1024} then error("it yields more than ${MOST_OUTPUT_MIB} MiB") else $result end)`;

/** The memory of a WebAssembly program, as far as it is used here; the types of Node 20 have none. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(this: WasmMemory, pages: number): number;
}

/** Limits the memory of jq: without a limit it takes that of the machine. */
function limitMemory(): void {
  const { WebAssembly } = globalThis as unknown as {
    readonly WebAssembly: { readonly Memory: { readonly prototype: WasmMemory } };
  };
  const { prototype } = WebAssembly.Memory;
  const { grow } = prototype;
  prototype.grow = function (pages) {
    const pagesNow = this.buffer.byteLength / PAGE_BYTES;
    if (pagesNow + pages > MOST_MEMORY_MIB * PAGES_PER_MIB) throw new RangeError('too much memory');
    return grow.call(this, pages);
  };
}

/**
 * Runs `work` with a stdout that goes through the filter, if there is one. Throws the `Failure` of the work, or else
 * one of kind `local_io` if the filter failed, which says what was done. A failed result, or one without data, is
 * written unfiltered.
 */
export async function withFilter(
  filter: Jq | undefined,
  runtime: Runtime,
  work: (runtime: Runtime) => Promise<void>,
): Promise<void> {
  if (filter === undefined) return work(runtime);
  const { stdout, note } = runtime;
  const errors: string[] = [];
  const writeFiltered = async (document: string): Promise<void> => {
    const { printed = '', error } = filter.apply(document);
    if (error === undefined) await stdout.write(linesOf(printed, stdout.isTTY));
    else errors.push(messageIn(error));
  };
  const write = async (text: string): Promise<void> => {
    for (const document of documentsIn(text)) {
      const data = filter.takesResults ? dataOf(document) : document;
      if (data === undefined) await stdout.write(`${document}\n`);
      else await writeFiltered(data);
    }
  };
  const failure = () => (errors.length > 0 ? filterFailure(errors, runtime) : undefined);
  // The history records the failure before it is thrown below.
  const changed = { write: { value: write }, failure: { value: failure } };
  const filtered = Object.create(stdout, changed) as OutputStream;
  try {
    await work({ ...runtime, stdout: filtered });
  } catch (error) {
    if (errors.length > 0) note(`warning: --jq: ${errors[0]!}`);
    throw error;
  }
  if (errors.length > 0) throw filterFailure(errors, runtime);
}

/** Splits the text into lines if each is a document; otherwise it is one document. */
function documentsIn(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.length > 0 && ownJson(lines[0]!) === undefined ? [text] : lines;
}

/** Returns the data in the line of a batch's result; `undefined` if it failed or has none. */
function dataOf(line: string): string | undefined {
  const { ok, data } = parseJson(line) as { readonly ok?: boolean; readonly data?: unknown };
  return ok === true && data !== undefined ? toJson(data) : undefined;
}

/** Formats each result, one line of compact JSON from jq, as a line of its own: a string without its quotes. */
function linesOf(printed: string, isTTY: boolean): string {
  if (printed === '') return '';
  const results = printed.split('\n').map((line) => {
    if (!line.startsWith('"')) return escapeInvisible(line);
    const text = JSON.parse(line) as string;
    return isTTY ? sanitize(text) : text;
  });
  return `${results.join('\n')}\n`;
}

const LONGEST_MESSAGE = 200;

/** Extracts the message from an error text of jq: `syntax error, unexpected end of file`. */
function messageIn(error: string): string {
  const [first = ''] = error.split('\n');
  const message = first
    .replace(/^jq: (?:parse )?error(?: \(at [^)]*\))?: ?/, '')
    .replace(/ \(Unix shell quoting issues\?\)| at <top-level>, line \d+:?$/g, '')
    .replace(/^Non-zero exit code.*/, 'it halted with an error')
    .replace(/^cannot allocate memory$/, `it needs more than ${MOST_MEMORY_MIB} MiB of memory`)
    .replace(/^break$/, 'it reads a second document, and there is one');
  return excerpt(message, LONGEST_MESSAGE);
}

function filterFailure(errors: readonly string[], { traffic }: Runtime): Failure {
  const { reads = 0, changes = 0 } = traffic ?? {};
  const which = errors.length === 1 ? 'the result' : `${errors.length} results`;
  return new Failure('local_io', {
    what: `--jq failed on ${which}: ${errors[0]!}`,
    why: changes > 0 ? ['the operation succeeded; do not run it again'] : [],
    sent: reads + changes > 0,
    outcome: changes > 0 ? 'accepted' : undefined,
    retryable: false,
  });
}
