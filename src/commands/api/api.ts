// `api <method> <path>`: any request to this service, with the same token rules, faults, consent and exit codes as the
// operations. A change is sent once: of what is not described nobody knows whether it may happen twice.

import type { Command } from 'commander';
import { anyChange, anyRead, operationAt } from '../../api/operations/any-path.ts';
import type { Operation } from '../../api/operations/define-operation.ts';
import type { Method } from '../../base/http.ts';
import { dryRunLocation, writeRequests } from '../../client/dry-run.ts';
import { addLocalCommand, type LocalCall } from '../../cli/local-command.ts';
import { rememberShownIds } from '../../cli/run-operation.ts';
import { callOperation, createCallContext } from '../../client/call-operation.ts';
import { openService, locationOf } from '../../client/open-service.ts';
import { readAny, readHead, readWhole } from '../../client/read-response.ts';
import { maskNamed } from '../../output/credentials.ts';
import { redactJson, createRedactor } from '../../output/redact.ts';
import { writeResult } from '../../output/write-result.ts';
import { confirmChange } from '../../prompts/confirm.ts';
import { apiRequest, type ApiRequest, isRead, methods } from './request.ts';
import { renderResponse } from './response.ts';
import { shellQuote } from '../../base/shell.ts';
import type { CallContext } from '../../client/call-context.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { recordDuring } from '../../history/record-during.ts';

const words = {
  word: 'api',
  summary: 'Send a request to any path of the service',
  details: [
    'For what has no command of its own. The path starts with a slash and stays below the address of the service; token, faults, questions, exit codes and output are those of every other command.',
    'Of GET, HEAD and DELETE the fields go into the query, of the others into a JSON body: a[b]=c makes an object, a[]=c a list. Without a field no body is sent.',
    'A change that was sent is never sent again, whatever its method: what became of it is then unknown (exit 12). DELETE asks first.',
  ].join('\n\n'),
  operands: [
    { name: 'method', description: methods.join(', '), values: methods },
    { name: 'path', description: 'From the first slash, e.g. /v1/posts/PostSpringLaunch' },
  ],
  options: [
    {
      flags: '-f, --field <name=value>',
      description: 'A field with a text; repeatable',
      repeatable: true,
    },
    {
      flags: '-F, --json-field <name=json>',
      description: 'A field with a number, true, null, a list, an object; repeatable',
      repeatable: true,
    },
    { flags: '--input <file>', description: 'The JSON body; - for standard input' },
    { flags: '-H, --header <K: V>', description: 'A further header; repeatable', repeatable: true },
    { flags: '--whole', description: 'The whole answer, not only its data' },
  ],
  examples: [
    ['The same as posts get', 'social api GET /v1/posts/PostSpringLaunch'],
    ['Read what has no command yet', "social api GET /v1/queue -f limit=20 --jq '.[].id'"],
    [
      'See a change before it leaves',
      'social api PATCH /v1/webhooks -f id=WebhookAlertsOps -F isActive=false --dry-run',
    ],
  ],
  changes: ([method = '']: readonly string[]) => !isRead(method.toUpperCase()),
} as const;

export function add(program: Command, commandContext: CommandContext): void {
  addLocalCommand(program, words, commandContext, api);
}

async function api(call: LocalCall): Promise<void> {
  const { settings, runtime, flags } = call;
  const place = settings.dryRun ? dryRunLocation(settings) : locationOf(settings);
  const wanted = await apiRequest(call, place.baseUrl);
  runtime.secrets.add(wanted.secrets);
  if (settings.dryRun) return rehearse(wanted, call);
  const { method } = wanted.request;
  const known = await operationAt(method as Method, wanted.path);
  const operation = operationFor(wanted, known);
  const intent = {
    operation,
    words: `api ${method}`,
    ids: [wanted.shownPath],
    count: 1,
    flags,
    rest: wanted.rest,
  };
  const confirm = settings.confirm.map((id) =>
    wanted.path.split('/').at(-1) === id ? wanted.shownPath : id,
  );
  await confirmChange(intent, { ...settings, confirm }, runtime);
  const service = await openService(place, settings, runtime);
  const options = { operation, hooks: {}, command: 'social api', paths: [], settings, flags };
  const callContext = await createCallContext(options, service, runtime);
  const request = {
    ...wanted.request,
    url: wanted.request.url.replace(place.baseUrl, () => service.baseUrl),
  };
  const whole = flags['whole'] === true ? readWhole : readAny;
  const read = method === 'HEAD' ? readHead : whole;
  const watched = isRead(method) ? undefined : await watch(wanted, callContext);
  const watching = { ...callContext, change: watched?.watch };
  try {
    await recordDuring(watched?.record, async () => {
      const answer = await callOperation(watching, operation, {}, { request, read });
      const data = discreet(answer.data, wanted);
      // Nobody knows the shape of it, so it is JSON unless something else was asked for.
      const text = await renderResponse(data, settings.output ?? 'json', {
        ...callContext,
        isSecret: wanted.isSecret,
        result: known?.result,
      });
      await writeResult(text, operation, data, runtime);
      await rememberShownIds(callContext, wanted.path, {}, data);
    });
  } finally {
    await service.close();
  }
}

/** What the request is taken for: its danger, and what looks at the outcome. */
function operationFor(
  { request: { method }, path, shownPath }: ApiRequest,
  known: Operation | undefined,
): Operation {
  if (isRead(method)) return anyRead;
  const taken = 'What is deleted does not come back.';
  const danger = known?.danger ?? (method === 'DELETE' ? taken : undefined);
  // A line without the id of a pairing would be of no use.
  const inspect = shownPath === path ? inspectFor(known, method, path) : anyChange.inspect;
  return { ...anyChange, danger, inspect };
}

/** What finds out whether the change happened: as for the operation at that path, or a read of what was changed. */
function inspectFor(known: Operation | undefined, method: string, path: string): string {
  const own = known?.inspect;
  if (known !== undefined && own !== undefined) {
    const values = path.split('/');
    const at = (name: string) => values[known.path.split('/').indexOf(`{${name}}`)] ?? name;
    return own.replace(/\{(\w+)\}/g, (_all, name: string) => shellQuote(at(name)));
  }
  // What a POST makes has a path of its own.
  return method === 'POST' ? anyChange.inspect! : `social api GET ${shellQuote(path)}`;
}

/** An answer without the ids and codes of pairings: whoever wants to see one asks `social connect`. */
function discreet(data: unknown, { shownPath, path, secrets, hiddenNames }: ApiRequest): unknown {
  if (hiddenNames.length === 0) return data;
  const named = maskNamed(data, (name) => hiddenNames.includes(name));
  return shownPath === path ? named : redactJson(named, createRedactor(secrets));
}

/** The record of a change by its path. */
async function watch(
  { request, shownPath }: ApiRequest,
  { settings, service, runtime }: CallContext,
) {
  const { observeRequest } = await import('../../history/change-observer.ts');
  const { method, url, body = '' } = request;
  const where = { settings, service, runtime };
  const input = `${url.split('?')[1] ?? ''} ${body}`;
  return observeRequest(`api ${method}`, where, { ids: [shownPath], input });
}

async function rehearse(
  { request, path, shownPath, secrets }: ApiRequest,
  { settings, runtime }: LocalCall,
) {
  const hidden = createRedactor(secrets);
  const url = hidden(request.url.replace(path, () => shownPath));
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, hidden(value)]),
  );
  const body = request.body === undefined ? {} : { body: hidden(request.body) };
  await writeRequests([{ ...request, url, headers, ...body }], settings, runtime);
}
