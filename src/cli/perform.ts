// One command of an operation, from what was typed to what is shown: the line of `docs/decisions.md`,
// gather → judge → consent → send → show. Each step is a module of its own.

import { run } from '../call/run.ts';
import { toRequest, type Input } from '../call/request.ts';
import { Failure, usageFailure, type Fault } from '../errors.ts';
import type { HttpRequest } from '../http.ts';
import type { Field } from '../operations/field.ts';
import type { Operation } from '../operations/operation.ts';
import { pathsOf, resolvePath } from '../operations/paths.ts';
import type { Spelling } from '../operations/spelling.ts';
import { redactor } from '../output/redact.ts';
import { quote, sanitizeLine } from '../output/sanitize.ts';
import { version } from '../version.ts';
import type { World } from '../world.ts';
import { camel } from './camel.ts';
import { closest } from './closest.ts';
import { consent } from './consent.ts';
import { asCurl, asJson, asText, shellQuote } from './dry-run.ts';
import { extraOf } from './extras/table.ts';
import { gather, type Typed } from './gather.ts';
import { each } from './many.ts';
import { keepSecret } from './secret.ts';
import { openService, placeOf, type Place, type Service } from './service.ts';
import { resolveSettings, type Settings } from './settings.ts';
import { formOf, show } from './show.ts';

export interface Invocation {
  readonly operation: Operation;
  readonly fields: readonly Field[];
  readonly spelling: Spelling;
  readonly typed: Typed;
  /** Faults that the parser found: unknown flags. */
  readonly faults: readonly Fault[];
  /** Takes texts that must not be shown anywhere. */
  readonly hide: (secrets: readonly string[]) => void;
}

/** What a call is made of once everything that was typed has been found good. */
interface Prepared {
  readonly operation: Operation;
  readonly inputs: readonly Input[];
  /** The command as it was typed, for the next step to name. */
  readonly command: string;
  /** Full paths of `--fields`. */
  readonly paths: readonly string[];
  readonly settings: Settings;
  readonly typed: Typed;
}

/** Runs an operation's command. Throws the `Failure` it ends with; stdout is then empty. */
export async function perform(invocation: Invocation, world: World): Promise<void> {
  const prepared = await prepare(invocation, world);
  const { operation, inputs, command, settings, typed } = prepared;
  if (settings.dryRun) return showRequests(prepared, invocation.fields, world);
  const place = placeOf(settings);
  await consent(operation, inputs.map(idOf), command, settings, world);
  await keepSecrets(invocation.fields, typed, inputs);
  const service = await openService(place, settings, world);
  invocation.hide([
    service.token,
    ...inputs.flatMap((input) => secretsIn(input, invocation.fields)),
  ]);
  try {
    await (inputs.length === 1
      ? once(prepared, service, world)
      : each(prepared, service, callOne, world));
  } finally {
    await service.close();
  }
}

async function prepare(
  { operation, fields, spelling, typed, faults }: Invocation,
  world: World,
): Promise<Prepared> {
  const command = ['social', ...spelling.words].join(' ');
  const resolved = resolveSettings(typed.flags, world.env);
  const { settings } = resolved;
  const note = (line: string) =>
    void (settings.quiet || world.stderr.write(`${sanitizeLine(line)}\n`));
  const { complete = (input: Input) => input } = extraOf(operation.command);
  const gathered = await gather(
    operation,
    fields,
    spelling.given,
    typed,
    settings,
    world,
    (input) => complete(input, note),
  );
  const paths = fieldPaths(operation, settings.fields);
  const all = [...faults, ...resolved.faults, ...gathered.faults, ...paths.faults];
  if (all.length > 0) throw usageFailure(all, `${command} --help`);
  gathered.notes.forEach(note);
  return { operation, inputs: gathered.inputs, command, paths: paths.found, settings, typed };
}

function fieldPaths(
  operation: Operation,
  typed: readonly string[],
): { found: readonly string[]; faults: readonly Fault[] } {
  const resolved = typed.map((path) => [path, resolvePath(operation, path)] as const);
  const unknown = resolved.filter(([, path]) => path === undefined);
  return {
    found: resolved.flatMap(([, path]) => path ?? []),
    faults: unknown.map(([path]) => {
      const near = closest(path, pathsOf(operation));
      return {
        field: '--fields',
        problem: `names no field of this result: ${quote(path)}${near === undefined ? '' : ` (did you mean ${near}?)`}`,
      };
    }),
  };
}

async function once(prepared: Prepared, service: Service, world: World): Promise<void> {
  const { operation, inputs, paths, settings, typed } = prepared;
  const data = await callOne(prepared, inputs[0]!, service, world);
  await show(operation, data, paths, settings, world);
  extraOf(operation.command).judge?.(data, typed.flags);
}

/** Calls the operation with one input; the data, after its warnings went to stderr. */
async function callOne(
  { operation, settings }: Prepared,
  input: Input,
  service: Service,
  world: World,
): Promise<unknown> {
  const request = requestOf(operation, input, service.baseUrl, settings);
  const patience = {
    retries: settings.retries,
    totalMs: settings.timeoutMs * (settings.retries + 1),
    monotonic: () => world.monotonic(),
    random: () => world.random(),
    sleep: (ms: number, signal: AbortSignal) => world.sleep(ms, signal),
  };
  try {
    const { data, warnings } = await run(operation, request, service.send, patience, world.signal);
    if (!settings.quiet)
      for (const line of warnings) await world.stderr.write(`warning: ${sanitizeLine(line)}\n`);
    return data;
  } catch (error) {
    throw error instanceof Failure ? withNextStep(error, operation, input) : error;
  }
}

/** After an outcome that nobody knows, and after a "not found", the user wants the next thing to type. */
function withNextStep(failure: Failure, operation: Operation, input: Input): Failure {
  const { kind, facts } = failure;
  if (kind !== 'outcome_unknown' || operation.inspect === undefined) return failure;
  const advice = operation.inspect.replace(/\{(\w+)\}/g, (_all, name: string) =>
    shellQuote(String(input[name])),
  );
  return new Failure(kind, {
    ...facts,
    ...(advice.startsWith('social ') ? { next: advice } : { hint: advice }),
  });
}

function requestOf(
  operation: Operation,
  input: Input,
  baseUrl: string,
  settings: Settings,
): HttpRequest {
  const request = toRequest(operation, input, { baseUrl, query: settings.query });
  return { ...request, headers: { ...request.headers, 'user-agent': `social/${version}` } };
}

async function showRequests(
  prepared: Prepared,
  fields: readonly Field[],
  world: World,
): Promise<void> {
  const { operation, inputs, settings } = prepared;
  const place =
    settings.baseUrl === undefined && settings.context === undefined ? nowhere : placeOf(settings);
  const requests = inputs.map((input) =>
    masked(requestOf(operation, input, place.baseUrl, settings), fields, input),
  );
  const form = formOf(settings, world.stdout);
  const text = settings.curl
    ? requests.map(asCurl).join('')
    : form === 'json' || form === 'ndjson'
      ? asJson(requests, form === 'json' && world.stdout.isTTY)
      : requests.map(asText).join('\n');
  await world.stdout.write(text);
}

/** A dry run needs no service; this stands for its address. */
const nowhere: Place = { baseUrl: 'https://SOCIAL_BASE_URL', sandbox: false };

function masked(request: HttpRequest, fields: readonly Field[], input: Input): HttpRequest {
  if (request.body === undefined) return request;
  return { ...request, body: redactor(secretsIn(input, fields))(request.body) };
}

/** The texts of an input that nobody may see: secret fields, and the values of secret maps. */
function secretsIn(input: Input, fields: readonly Field[]): readonly string[] {
  return fields
    .filter(({ secret }) => secret)
    .flatMap(({ name }) => {
      const value = input[name];
      if (typeof value === 'string') return [value];
      return typeof value === 'object' && value !== null ? Object.values(value).map(String) : [];
    });
}

async function keepSecrets(
  fields: readonly Field[],
  { flags }: Typed,
  inputs: readonly Input[],
): Promise<void> {
  for (const { flag, name } of fields.filter(({ secret, kind }) => secret && kind === 'text')) {
    const out = flags[`${camel(flag)}Out`];
    if (flags[camel(`generate-${flag}`)] === true)
      await keepSecret(String(out), String(inputs[0]![name]));
  }
}

/** The id that an input is about: its first field. */
const idOf = (input: Input): string => String(Object.values(input)[0]);
