// `api <method> <path>`: any request to the service, with the token rules, faults, confirmation and exit codes of the
// operations: typed words → request → confirmation → send → show.

import { effectOf } from '../../api/operations/define-operation.ts';
import { Failure } from '../../base/errors.ts';
import { hashOf } from '../../base/hash.ts';
import type { HttpRequest } from '../../base/http.ts';
import { mapTexts } from '../../base/json.ts';
import { quote } from '../../base/sanitize.ts';
import type { Invocation, CommandBody } from '../../cli/command-spec.ts';
import { rememberShownIds } from '../../cli/run-operation.ts';
import type { CallOutcome } from '../../client/session.ts';
import { callOperation } from '../../client/call-operation.ts';
import { dryRunBaseUrl, writeRequests } from '../../client/dry-run.ts';
import { baseUrlOf, type Client, withClient } from '../../client/open-client.ts';
import { noteFlag } from '../../config/flags.ts';
import { historyWriterFor, runRecorded } from '../../history/recorder.ts';
import { maskNamed } from '../../output/redact-by-name.ts';
import { pathsIn, pick } from '../../output/table-view.ts';
import { jsonText, writeResult } from '../../output/write-result.ts';
import { confirmChange } from '../../prompts/confirm.ts';
import { operationFor, readAny, readHead, readWhole, withHead } from './any-path.ts';
import { type ApiRequest, isRead, methods, readRequest } from './request.ts';

export const apiCommand: CommandBody = {
  details:
    'Fields go into the query, or with POST, PUT and PATCH into a JSON body: a[]=b adds to a list. DELETE asks for confirmation.',
  operands: [
    { name: 'method', description: 'HTTP method, GET by default', values: methods, optional: true },
    { name: 'path', description: 'Path, e.g. /v1/posts/PostSpringLaunch' },
  ],
  flags: [
    { flags: '-X, --method <method>', description: 'HTTP method, as the argument' },
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
    noteFlag,
  ],
  examples: {
    'Same as posts get': 'social api /v1/posts/PostSpringLaunch',
    'Print a change without sending it':
      'social api PATCH /v1/webhooks -f id=WebhookAlertsOps -F isActive=false -n',
  },
  effect: 'once',
  dryRun: true,
  collectsFaults: true,
  run: api,
};

async function api(call: Invocation): Promise<void> {
  const { settings, runtime, flags } = call;
  const request = await readRequest(call);
  const { method, maskedPath } = request;
  runtime.secrets.add(request.secrets);
  if (settings.dryRun) return dryRun(request, call);
  // Without a service there is nothing to confirm, so this throws first.
  baseUrlOf(settings);
  const operation = operationFor(request);
  const change = { operation, words: `api ${method}`, ids: [maskedPath], flags };
  await confirmChange(change, settings, runtime);
  await withClient(call, runtime, async (client) => {
    const history = isRead(method) ? undefined : historyOf(request, client);
    await runRecorded(history, async () => {
      const { path, query, headers, body } = request;
      const response = await callOperation(
        { ...client, observer: history },
        operation,
        {},
        {
          request: { method, url: client.service.baseUrl + path + query, headers, body },
          read: readerOf(request, flags),
        },
      ).catch((error: unknown) => {
        const isMissing = error instanceof Failure && error.kind === 'not_found';
        if (!isMissing || client.service.baseUrl.concat(path).includes('/v1/')) throw error;
        throw error.with({ hint: `the paths of the API begin with /v1: /v1${maskedPath}` });
      });
      const form = settings.output === 'ndjson' ? 'ndjson' : 'json';
      await showResult(response, form, request, client);
    });
  });
}

/** Prints the request without secrets. */
async function dryRun(request: ApiRequest, { settings, runtime }: Invocation): Promise<void> {
  const { method, maskedPath, query, headers, body } = request;
  const { mask } = runtime.secrets;
  const masked = {
    method,
    url: dryRunBaseUrl(settings) + mask(maskedPath + query),
    // Names of headers stay: a pairing code may be any word, also one of these names.
    headers: mapTexts(headers, mask, (name) => name) as HttpRequest['headers'],
    body: body && mask(body),
  };
  await writeRequests([masked], settings, runtime);
}

/** Makes the writer of the change's entry in the history, which has the path in place of an ID. */
function historyOf(
  { method, maskedPath, query, body = '', documented }: ApiRequest,
  client: Client,
) {
  // With the path, query and body identify a repeat.
  const target = { ids: [maskedPath], input: hashOf(`${query} ${body}`) };
  const command = `api ${method}`;
  const effect = effectOf({
    method: method === 'HEAD' ? 'GET' : method,
    onlySetsValues: false,
    ...documented,
  });
  const change = { command, targetOf: () => target, operation: documented };
  return historyWriterFor({ ...change, confirmsRepeats: effect === 'once' }, client);
}

/** Returns the function that reads the response: its data, or as much of it as the flags ask for. */
function readerOf({ method }: ApiRequest, flags: Invocation['flags']) {
  if (method === 'HEAD') return readHead;
  const readBody = flags['whole'] === true ? readWhole : readAny;
  return flags['include'] === true ? withHead(readBody) : readBody;
}

/** Writes the data as JSON, or one line for each item of a list. */
async function showResult(
  { data: received, json }: Pick<CallOutcome, 'data' | 'json'>,
  form: 'json' | 'ndjson',
  request: ApiRequest,
  client: Client,
): Promise<void> {
  const { settings, runtime } = client;
  const { fields } = settings;
  const data = maskPairing(received, request, client);
  const paths = pathsIn(data);
  for (const field of fields.filter((name) => !paths.has(name)))
    runtime.note(`warning: --fields: the response has no ${quote(field)}`);
  const picked = fields.length === 0 ? data : pick(data, fields);
  // The response's own text is printed only if nothing was masked or picked.
  const text = jsonText(form, picked, runtime.stdout, picked === received ? json : undefined);
  await writeResult(data, !isRead(request.method), () => runtime.stdout.write(text));
  await rememberShownIds(client, { path: request.path }, {}, data);
}

/** Masks the IDs and codes of pairings, which `social connect` shows. */
function maskPairing(data: unknown, { pairingNames }: ApiRequest, { runtime }: Client): unknown {
  if (pairingNames.length === 0) return data;
  const named = maskNamed(data, (name) => pairingNames.includes(name));
  return mapTexts(named, runtime.secrets.mask);
}
