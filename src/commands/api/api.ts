// `api <method> <path>`: any request to the service, with the token rules, faults, consent and exit codes of the
// operations. A change is sent only once: it is unknown whether repeating it is safe.

import { anyChange, anyRead, operationAt } from '../../api/operations/any-path.ts';
import type { Operation } from '../../api/operations/define-operation.ts';
import type { HttpRequest, Method } from '../../base/http.ts';
import { dryRunBaseUrl, writeRequests } from '../../client/dry-run.ts';
import { type LocalCall, localCommand } from '../../cli/local-command.ts';
import { rememberShownIds } from '../../cli/run-operation.ts';
import { callOperation, createCallContext } from '../../client/call-operation.ts';
import { baseUrlOf, openService } from '../../client/open-service.ts';
import { readAny, readHead, readWhole, withHead } from '../../client/read-response.ts';
import { mapTexts } from '../../base/json.ts';
import { maskNamed } from '../../output/credentials.ts';
import { createRedactor } from '../../output/redact.ts';
import { writeResult } from '../../output/write-result.ts';
import { confirmChange } from '../../prompts/confirm.ts';
import { pageFlags, parsePagination, type Pagination } from './pagination.ts';
import { apiRequest, type ApiRequest, isRead, methodAndPath, methods } from './request.ts';
import { renderResponse, renderWithHead } from './response.ts';
import { shellQuote } from '../../base/shell.ts';
import { noteFlag, suggestCommand } from '../../config/flags.ts';
import type { OutputForm } from '../../config/choices.ts';
import type { Fault } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { CallContext } from '../../client/call-context.ts';
import { recordDuring } from '../../history/record-during.ts';

export const add = localCommand({
  details: [
    'For paths without a command of their own. The path starts with a slash and is added to the base URL; token, errors, confirmation, exit codes and output are the same as for every other command.',
    'With GET, HEAD and DELETE, fields go into the query; with the others into a JSON body: a[b]=c makes an object, a[]=c a list. Without fields no body is sent.',
    'With --paginate, GET reads a list to its end: it follows Link rel=next, nextCursor or cursor, or page numbers, as each answer shows, or as --next says, and never leaves the base URL. It prints one item per line (NDJSON) as pages arrive; --jq and --fields apply to each item. A list that is longer than 1000 pages ends with exit 8; --max-pages sets another limit, and ends with exit 0. After a failure, stderr shows the command that continues with the page that failed.',
    'A change is never retried once sent, whatever its method: if no answer comes, its outcome is unknown (exit 12). DELETE asks for confirmation first.',
  ].join('\n\n'),
  operands: [
    { name: 'method', description: 'HTTP method (default GET)', values: methods, optional: true },
    { name: 'path', description: 'Path from the first slash, e.g. /v1/posts/PostSpringLaunch' },
  ],
  options: [
    {
      flags: '-f, --field <name=value>',
      description: 'Add a text field; repeatable',
      repeatable: true,
    },
    {
      flags: '-F, --json-field <name=json>',
      description: 'Add a JSON field (number, true, null, list, object); repeatable',
      repeatable: true,
    },
    {
      flags: '--input <file>',
      description: 'Read the JSON body from a file ("-" for stdin)',
      stdin: true,
    },
    {
      flags: '-H, --header <K: V>',
      description: 'Add a request header; repeatable',
      repeatable: true,
    },
    { flags: '--whole', description: 'Print the whole response, not only its data' },
    {
      flags: '-i, --include',
      description: 'Print status and headers too; with --json or --jq as {status, headers, body}',
    },
    ...pageFlags,
    noteFlag,
  ],
  examples: [
    ['Same as posts get', 'social api GET /v1/posts/PostSpringLaunch'],
    ['Read a path that has no command', "social api GET /v1/queue -f limit=20 --jq '.[].id'"],
    ['Show the headers of a response', 'social api -i /v1/posts/PostSpringLaunch'],
    ['Read all pages of a list', "social api '/v1/posts?status=failed' --paginate --jq .id"],
    [
      'Say where the next page is',
      `social api /v1/posts --paginate --next '"?after=" + .data.last'`,
    ],
    [
      'Print a change without sending it',
      'social api PATCH /v1/webhooks -f id=WebhookAlertsOps -F isActive=false --dry-run',
    ],
  ],
  sends: (operands) =>
    isRead((methodAndPath(operands)[0] ?? '').toUpperCase()) ? 'read' : 'change',
  effect: 'once',
  dryRun: true,
  run: api,
});

/** The ID that a path is about: of the last field that its operation has in it, else what it ends with. */
function idOf(path: string, known: Operation | undefined): string | undefined {
  const at = known?.path.split('/').findLastIndex((part) => part.startsWith('{')) ?? -1;
  return path.split('/').at(at);
}

async function api(call: LocalCall): Promise<void> {
  const { settings, runtime, flags } = call;
  const [typed] = methodAndPath(call.operands);
  const faults: Fault[] = [];
  const pagination = await parsePagination(call, typed, faults);
  const baseUrl = await baseUrlFor(call, faults);
  const wanted = await apiRequest(call, baseUrl, faults);
  runtime.secrets.add(wanted.secrets);
  if (settings.dryRun) return dryRun(wanted, call);
  const { path, shownPath, rest } = wanted;
  const { method } = wanted.request;
  const known = await operationAt(method as Method, path);
  const operation = operationFor(wanted, known);
  const intent = { operation, words: `api ${method}`, ids: [shownPath], count: 1, flags, rest };
  const own = idOf(path, known);
  const confirm = wanted.confirm.map((id) => (id === own ? shownPath : id));
  await confirmChange(intent, { ...settings, confirm }, runtime);
  const service = await openService(settings, runtime);
  const options = { operation, hooks: {}, command: 'social api', paths: [], settings, flags };
  const callContext = await createCallContext(options, service, runtime);
  const url = wanted.request.url.replace(baseUrl, () => service.baseUrl);
  const whole = flags['whole'] === true ? readWhole : readAny;
  const included = flags['include'] === true;
  const exchange = {
    request: { ...wanted.request, url },
    read: method === 'HEAD' ? readHead : included ? withHead(whole) : whole,
  };
  const watched = isRead(method) ? undefined : await watch(wanted, known, callContext);
  const watching = { ...callContext, change: watched?.watch };
  const show = async (answer: unknown, form: OutputForm, { note }: Pick<Runtime, 'note'>) => {
    const data = maskPairing(answer, wanted);
    const isPlain =
      included &&
      settings.output === undefined &&
      settings.jq === undefined &&
      settings.fields.length === 0;
    const render = isPlain ? renderWithHead : renderResponse;
    const text = await render(data, form, {
      settings,
      runtime: { ...runtime, note },
      isSecret: wanted.isSecret,
      result: known?.result,
    });
    await writeResult(text, data, !isRead(method), runtime);
    await rememberShownIds(callContext, path, {}, data);
  };
  try {
    if (pagination !== undefined) {
      const { paginate } = await import('./paginate.ts');
      const first = wanted.request.url.slice(baseUrl.length);
      const list = { ...wanted, path: first, resume: resumeFrom(call, wanted, pagination), show };
      return await paginate(list, pagination, callContext);
    }
    await recordDuring(watched, async () => {
      const answer = await callOperation(watching, operation, {}, exchange);
      // Its shape is unknown, so the default form is JSON.
      await show(answer.data, settings.output ?? 'json', runtime);
    });
  } finally {
    await service.close();
  }
}

/** Makes the command that reads a list from another path on, as it was typed; none where the path is not shown. */
function resumeFrom(
  { settings, flags }: LocalCall,
  { path, shownPath, rest }: ApiRequest,
  pagination: Pagination,
): (from: string) => string | undefined {
  const { jq, fields } = settings;
  const own = [
    // What was in fields is in the path by then.
    ...rest.filter((each) => each.startsWith('-H ')),
    ...pagination.rest,
    ...(jq === undefined ? [] : [`--jq ${shellQuote(jq)}`]),
    ...(fields.length === 0 ? [] : [`--fields ${shellQuote(fields.join(','))}`]),
    ...(pagination.form === 'tsv' ? ['-o tsv'] : []),
  ];
  return (from) =>
    path === shownPath
      ? suggestCommand(['api', shellQuote(from), '--paginate', ...own].join(' '), {
          settings,
          flags,
        })
      : undefined;
}

/** Where the request goes; without a service, first whatever else is wrong with the line. */
async function baseUrlFor(call: LocalCall, faults: readonly Fault[]): Promise<string> {
  const { settings } = call;
  try {
    return settings.dryRun ? dryRunBaseUrl(settings) : baseUrlOf(settings);
  } catch (error) {
    await apiRequest(call, 'http://localhost', faults);
    throw error;
  }
}

/** The operation that the request is treated as: its danger, and the command that shows the outcome. */
function operationFor(
  { request: { method }, path, shownPath }: ApiRequest,
  known: Operation | undefined,
): Operation {
  if (isRead(method)) return anyRead;
  const deletes = method === 'DELETE' ? 'This cannot be undone.' : undefined;
  const danger = known?.danger ?? deletes;
  // The command would need the id of the pairing, which is not shown.
  const inspect = shownPath === path ? inspectFor(known, method, path) : anyChange.inspect;
  return { ...anyChange, danger, inspect };
}

/** The command that shows whether the change happened: that of the operation at the path, or a read of the path. */
function inspectFor(known: Operation | undefined, method: string, path: string): string {
  const own = known?.inspect;
  if (known !== undefined && own !== undefined) {
    const values = path.split('/');
    const at = (name: string) => values[known.path.split('/').indexOf(`{${name}}`)] ?? name;
    return own.replace(/\{(\w+)\}/g, (_all, name: string) => shellQuote(at(name)));
  }
  // A POST creates something at another path.
  return method === 'POST' ? anyChange.inspect! : `social api GET ${shellQuote(path)}`;
}

/** Masks the ids and codes of pairings, which `social connect` shows. */
function maskPairing(
  data: unknown,
  { shownPath, path, secrets, hiddenNames }: ApiRequest,
): unknown {
  if (hiddenNames.length === 0) return data;
  const named = maskNamed(data, (name) => hiddenNames.includes(name));
  return shownPath === path ? named : mapTexts(named, createRedactor(secrets));
}

/** The record of a change by its path. */
async function watch(
  { request, shownPath }: ApiRequest,
  operation: Operation | undefined,
  callContext: CallContext,
) {
  const { observeChange } = await import('../../history/recorder.ts');
  const { method, url, body = '' } = request;
  const target = { ids: [shownPath], input: `${url.split('?')[1] ?? ''} ${body}` };
  const change = { command: `api ${method}`, targetOf: () => target, operation, asks: true };
  return observeChange(change, callContext);
}

async function dryRun(
  { request, path, shownPath, secrets }: ApiRequest,
  { settings, runtime }: LocalCall,
) {
  const redact = createRedactor(secrets);
  const url = redact(request.url.replace(path, () => shownPath));
  // A code may be any word: names of headers are not redacted.
  const headers = mapTexts(request.headers, redact, (name) => name) as HttpRequest['headers'];
  const body = request.body === undefined ? {} : { body: redact(request.body) };
  await writeRequests([{ ...request, url, headers, ...body }], settings, runtime);
}
