// `api <method> <path>`: any request to the service, with the token rules, faults, confirmation and exit codes of the
// operations. A change is sent only once, because it is unknown whether repeating it is safe.

import { type Operation, valuesInPath } from '../../api/operations/define-operation.ts';
import { everyOperation } from '../../api/operations/registry.ts';
import type { Fault } from '../../base/errors.ts';
import { hashOf } from '../../base/hash.ts';
import type { HttpRequest } from '../../base/http.ts';
import { mapTexts } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import { shellQuote, suggestCommand } from '../../base/shell.ts';
import { withSuggestions } from '../../base/suggestions.ts';
import type { Call, CommandBody } from '../../cli/command-spec.ts';
import { rememberShownIds } from '../../cli/run-operation.ts';
import type { CallOutcome } from '../../client/call-context.ts';
import { callOperation } from '../../client/call-operation.ts';
import { dryRunBaseUrl, writeRequests } from '../../client/dry-run.ts';
import { baseUrlOf, type Client, withClient } from '../../client/open-client.ts';
import { readAny, readHead, readWhole, withHead } from '../../client/read-response.ts';
import { isJsonForm, noteFlag } from '../../config/flags.ts';
import { historyWriterFor, runRecorded, type HistoryWriter } from '../../history/recorder.ts';
import { pathsIn, pick } from '../../output/table-view.ts';
import { maskNamed } from '../../output/redact-by-name.ts';
import { createRedactor } from '../../output/redact.ts';
import { fieldFaults, jsonText, writeResult } from '../../output/write-result.ts';
import { confirmChange } from '../../prompts/confirm.ts';
import { paginate } from './paginate.ts';
import {
  anyChange,
  anyRead,
  apiRequest,
  type ApiRequest,
  headerFlags,
  isRead,
  methodAndPath,
  methods,
  requestFlags,
} from './request.ts';

export const apiCommand: CommandBody = {
  details:
    'Fields go into the query, or with POST, PUT and PATCH into a JSON body: a[]=b adds to a list. DELETE asks for confirmation. --paginate follows Link rel=next or nextCursor and prints an item per line; after 1000 pages it ends with 8.',
  operands: [
    { name: 'method', description: 'HTTP method, GET by default', values: methods, optional: true },
    { name: 'path', description: 'Path from the first slash, e.g. /v1/posts/PostSpringLaunch' },
  ],
  flags: [
    {
      flags: '-f, --field <name=value>',
      description: 'Add a text field',
      repeatable: true,
    },
    {
      flags: '-F, --json-field <name=json>',
      description: 'Add a JSON field',
      repeatable: true,
    },
    {
      flags: '--input <file>',
      description: 'Read the JSON body ("-" for stdin)',
      stdin: true,
    },
    {
      flags: '-H, --header <K: V>',
      description: 'Add a request header',
      repeatable: true,
    },
    {
      flags: '--header-file <file>',
      description: 'Read secret headers, one "K: V" per line',
      stdin: true,
    },
    { flags: '--whole', description: 'Print the whole response, not only data' },
    {
      flags: '-i, --include',
      description: 'Print {status, headers, body}',
    },
    {
      flags: '--paginate',
      description: 'Read all pages of a list (GET)',
    },
    noteFlag,
  ],
  examples: {
    'Same as posts get': 'social api /v1/posts/PostSpringLaunch',
    'Read all pages of a list': "social api '/v1/posts?status=failed' --paginate --jq .id",
    'Print a change without sending it':
      'social api PATCH /v1/webhooks -f id=WebhookAlertsOps -F isActive=false -n',
  },
  effect: 'once',
  dryRun: true,
  collectsFaults: true,
  run: api,
};

/** Builds the request; prints it with --dry-run, or else confirms a change and sends it. */
async function api(call: Call): Promise<void> {
  const { settings, runtime, flags } = call;
  const built = await apiRequest(call, [...call.faults, ...flagFaults(call)]);
  runtime.secrets.add(built.secrets);
  if (settings.dryRun) return dryRun(built, call);
  // Without a service there is nothing to confirm, so this throws first.
  baseUrlOf(settings);
  const { method, path, shownPath, target } = built;
  const pathOperation = await operationAt(method, path);
  const operation = operationFor(built, pathOperation);
  const rest = requestFlags(flags);
  const question = { operation, words: `api ${method}`, ids: [shownPath], flags, rest };
  // --confirm accepts the path, or the ID in it.
  const confirm = settings.confirm.map((id) => (id === idIn(path, pathOperation) ? shownPath : id));
  await confirmChange(question, { ...settings, confirm }, runtime);
  await withClient(call, runtime, async (client) => {
    if (flags['paginate'] !== true) return callOnce(built, operation, pathOperation, client);
    const show = (items: readonly unknown[], pageRuntime: Runtime) =>
      showResult({ data: items }, built, 'ndjson', { ...client, runtime: pageRuntime });
    const resume = (from: string) => resumeLine(call, built, from);
    await paginate({ headers: built.headers, path: target, resume, show }, client);
  });
}

function flagFaults({ operands, flags, settings: { output } }: Call): readonly Fault[] {
  const faults: Fault[] = [];
  const refuse = (problem: string) => faults.push({ field: '--paginate', problem });
  // An output of the settings is a default, and is ignored: the result is JSON. A typed one would be a mistake.
  if (flags['output'] !== undefined && output !== undefined && !isJsonForm(output))
    faults.push({
      field: '--output',
      problem: `cannot be ${output}: the result is JSON`,
      fix: "make rows with --jq, e.g. --jq '.[] | [.id, .status] | @tsv'",
    });
  if (flags['paginate'] !== true) return faults;
  const [method] = methodAndPath(operands);
  if (method !== undefined && method.toUpperCase() !== 'GET') refuse('requires the method GET');
  for (const flag of ['whole', 'include'].filter((name) => flags[name] === true))
    refuse(`cannot be combined with --${flag}: it prints items`);
  return faults;
}

async function dryRun(built: ApiRequest, { settings, runtime }: Call): Promise<void> {
  const { method, path, shownPath, target, headers, body } = built;
  const redact = createRedactor(built.secrets);
  const request = {
    method,
    url: dryRunBaseUrl(settings) + redact(target.replace(path, () => shownPath)),
    // Names of headers stay: a pairing code may be any word, also one of these names.
    headers: mapTexts(headers, redact, (name) => name) as HttpRequest['headers'],
    body: body && redact(body),
  };
  await writeRequests([request], settings, runtime);
}

/** Returns the operation of the API document for a method and a path, if there is one. */
async function operationAt(method: string, path: string): Promise<Operation | undefined> {
  const operations = (await everyOperation()).map((entry) => entry.operation);
  return operations.find((one) => one.method === method && valuesInPath(one, path));
}

/** Makes the operation of the request, with the danger to confirm and the command that shows the outcome. */
function operationFor(built: ApiRequest, pathOperation: Operation | undefined): Operation {
  if (isRead(built.method)) return anyRead;
  const deletes = built.method === 'DELETE' ? 'This cannot be undone.' : undefined;
  return {
    ...anyChange,
    danger: pathOperation?.danger ?? deletes,
    inspect: inspectFor(built, pathOperation),
  };
}

/**
 * Returns the command that shows whether the change was applied: that of the operation at the path, or a read of the
 * path.
 */
function inspectFor(
  { method, path, shownPath }: ApiRequest,
  pathOperation: Operation | undefined,
): string | undefined {
  // The command would need the ID of the pairing, which is not shown.
  if (shownPath !== path) return anyChange.inspect;
  if (pathOperation?.inspect !== undefined) {
    const values = valuesInPath(pathOperation, path) ?? {};
    return pathOperation.inspect.replace(/\{(\w+)\}/g, (_all, name: string) =>
      shellQuote(values[name] ?? name),
    );
  }
  // A POST creates a resource at another path.
  return method === 'POST' ? anyChange.inspect : `social api GET ${shellQuote(path)}`;
}

/** Returns the ID in a path: that of the last field of its operation, else the last segment. */
function idIn(path: string, pathOperation: Operation | undefined): string | undefined {
  const values = pathOperation && valuesInPath(pathOperation, path);
  return Object.values(values ?? {}).at(-1) ?? path.split('/').at(-1);
}

/** Sends the request, records it if it is a change, and shows the response. */
async function callOnce(
  built: ApiRequest,
  operation: Operation,
  pathOperation: Operation | undefined,
  client: Client,
): Promise<void> {
  const { settings, flags, service } = client;
  const { method, target, headers, body } = built;
  const request = { method, url: service.baseUrl + target, headers, body };
  const readBody = flags['whole'] === true ? readWhole : readAny;
  const readAnswer = flags['include'] === true ? withHead(readBody) : readBody;
  const read = method === 'HEAD' ? readHead : readAnswer;
  const history = isRead(method) ? undefined : historyOfRequest(built, pathOperation, client);
  const form = settings.output === 'ndjson' ? 'ndjson' : 'json';
  await runRecorded(history, async () => {
    const recorded = { ...client, change: history };
    const response = await callOperation(recorded, operation, {}, { request, read });
    await showResult(response, built, form, client);
  });
}

/** Makes the writer of the change's entry in the history, which has the path in place of an ID. */
function historyOfRequest(
  { method, shownPath, path, target, body = '' }: ApiRequest,
  pathOperation: Operation | undefined,
  client: Client,
): HistoryWriter | undefined {
  // The query, without its question mark, and the body: with the path they identify a repeat.
  const input = hashOf(`${target.slice(path.length + 1)} ${body}`);
  const targetOf = () => ({ ids: [shownPath], input });
  return historyWriterFor(
    { command: `api ${method}`, targetOf, operation: pathOperation, confirmsRepeats: true },
    client,
  );
}

/** Writes the data as JSON, or one line for each item of a list. An unknown name in `--fields` is noted. */
async function showResult(
  { data: answer, json }: Pick<CallOutcome, 'data' | 'json'>,
  built: ApiRequest,
  form: 'json' | 'ndjson',
  client: Client,
): Promise<void> {
  const { settings, runtime } = client;
  const { fields } = settings;
  const data = maskPairing(answer, built);
  if (fields.length > 0) {
    const paths = pathsIn(data);
    const unknown = fields.filter((field) => !paths.has(field));
    for (const { field, problem, fix } of withSuggestions(fieldFaults(unknown, [...paths])))
      runtime.note(`warning: ${field} ${problem}${fix === undefined ? '' : `; ${fix}`}`);
  }
  const picked = fields.length === 0 ? data : pick(data, fields);
  // The response's own text is printed only if nothing was masked or picked.
  const text = jsonText(form, picked, runtime.stdout, picked === answer ? json : undefined);
  await writeResult(text, data, !isRead(built.method), runtime);
  await rememberShownIds(client, { path: built.path }, {}, data);
}

/** Masks the IDs and codes of pairings, which `social connect` shows. */
function maskPairing(data: unknown, built: ApiRequest): unknown {
  const { pairingNames, secrets } = built;
  if (pairingNames.length === 0) return data;
  const named = maskNamed(data, (name) => pairingNames.includes(name));
  return mapTexts(named, createRedactor(secrets));
}

/** Makes the command that reads a list from another path on; `undefined` if the path contains a secret. */
function resumeLine(
  { settings, flags }: Call,
  { path, shownPath }: ApiRequest,
  from: string,
): string | undefined {
  if (path !== shownPath) return undefined;
  const { jq, fields } = settings;
  // The path of a later page already contains the fields (-f) of the first.
  const words = ['api', shellQuote(from), '--paginate', ...headerFlags(flags)];
  if (jq !== undefined) words.push('--jq', shellQuote(jq));
  if (fields.length > 0) words.push('--fields', shellQuote(fields.join(',')));
  return suggestCommand(words.join(' '), { settings, flags });
}
