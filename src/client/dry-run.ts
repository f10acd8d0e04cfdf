// The request as it would leave, without leaving: for reading, as JSON, or as a line for a shell.
// Needs no token and shows none; secrets in the body are masked.

import { usageFailure } from '../base/errors.ts';
import type { HttpRequest } from '../base/http.ts';
import { escapeInvisible, parseJson, toJson } from '../base/json.ts';
import type { Runtime } from '../base/runtime.ts';
import { sanitize } from '../base/sanitize.ts';
import { toRequest } from './build-request.ts';
import { createCallContext } from './call-operation.ts';
import { openService, type ServiceLocation, locationOf } from './open-service.ts';
import type { Settings } from '../config/settings.ts';
import { maskSecretFields } from '../output/redact.ts';
import { formOf } from '../output/write-result.ts';
import { shellQuote } from '../base/shell.ts';
import { isChange, type Input } from '../api/operations/define-operation.ts';
import type { CallContext, OperationCommand, CallOptions } from './call-context.ts';

/** The header that carries the token, as a shell would fill it in. */
const AUTHORIZATION = 'Bearer $SOCIAL_TOKEN';

function asText({ method, url, headers, body }: HttpRequest): string {
  const lines = Object.entries({ ...headers, authorization: AUTHORIZATION }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return sanitize(
    `${method} ${url}\n${lines.join('\n')}\n${body === undefined ? '' : `\n${body}\n`}`,
  );
}

/** The request as a plain value; the body as the JSON it is. */
function asObject({ method, url, headers, body }: HttpRequest): object {
  const parsed = body === undefined ? {} : { body: parseJson(body) };
  return { method, url, headers: { ...headers, authorization: AUTHORIZATION }, ...parsed };
}

/** A word of a command has 128 KiB on Linux; curl asks before it sends a body of many bytes. */
const LONG_BODY = 100_000;

/** A curl line that sends the same; the token stays a variable of the shell. */
function asCurl({ method, url, headers, body }: HttpRequest, { cacert }: Settings): string {
  // In JSON an escape is the same text, and can be copied off a screen.
  const text = body === undefined ? undefined : shellQuote(escapeInvisible(body));
  const isLong = body !== undefined && body.length > LONG_BODY;
  const parts = [
    isLong ? `printf %s ${text} | curl` : 'curl',
    // To curl, brackets and braces stand for many addresses.
    ...(/[[\]{}]/.test(url) ? ['-g'] : []),
    // By -X alone, curl waits for the body that a HEAD does not have.
    method === 'HEAD' ? '-I' : `-X ${method}`,
    shellQuote(url),
    ...(cacert === undefined ? [] : [`--cacert ${shellQuote(cacert)}`]),
    `-H "Authorization: ${AUTHORIZATION}"`,
    ...Object.entries(headers).map(
      // With a colon and nothing behind it, curl takes a header away.
      ([name, value]) => `-H ${shellQuote(value === '' ? `${name};` : `${name}: ${value}`)}`,
    ),
    ...(isLong ? ["-H 'expect:' --data-binary @-"] : []),
    ...(text === undefined || isLong ? [] : [`--data-raw ${text}`]),
  ];
  return `${parts.join(' ')}\n`;
}

/** Writes requests on stdout in the form that was asked for. */
export async function writeRequests(
  requests: readonly HttpRequest[],
  settings: Settings,
  { stdout }: Runtime,
): Promise<void> {
  const form = formOf(settings, stdout);
  const indent = form === 'json' && stdout.isTTY ? 2 : 0;
  const asJson = (request: HttpRequest) => `${toJson(asObject(request), indent)}\n`;
  const inJson = form === 'json' || form === 'ndjson';
  const text = settings.curl
    ? requests.map((request) => asCurl(request, settings)).join('')
    : inJson
      ? requests.map(asJson).join('')
      : requests.map(asText).join('\n');
  await stdout.write(text);
}

// What a dry run shows for an input: the request as it would leave, its secrets masked.

/** Makes the requests of a dry run. Throws where a place was named that is not there. */
export function dryRunRequest(
  { operation, fields }: Pick<OperationCommand, 'operation' | 'fields'>,
  settings: Settings,
): (input: Input) => HttpRequest {
  const here = settings.baseUrl === undefined && settings.context === undefined;
  const { baseUrl } = here ? NO_LOCATION : locationOf(settings);
  // What only waits sends what it looks with.
  const sent = isChange(operation) ? operation : (operation.wait?.poll ?? operation);
  const address = { baseUrl, query: settings.query };
  return (input) => toRequest(sent, maskSecretFields(fields, input), address);
}

/** A dry run needs no service; this stands for its address. */
export const NO_LOCATION: ServiceLocation = { baseUrl: 'https://SOCIAL_BASE_URL', sandbox: false };

// A dry run of a command whose request depends on the state at the service: the reads are sent, the change is not.

/** Gives the request for an input as it would leave now; nothing where nothing would. */
export type ReadThenRequest = (
  input: Input,
  callContext: CallContext,
) => Promise<HttpRequest | undefined>;

/** Whether the requests of this command depend on what the service says now. */
export const readsFirst = ({ hooks }: OperationCommand, { flags }: CallOptions): boolean =>
  hooks.looks?.(flags) === true;

/** Opens the service for the reads and closes it again. Throws `usage` where there is no service to read from. */
export async function dryRunAfterRead(
  invocation: OperationCommand,
  prepared: CallOptions,
  runtime: Runtime,
  work: (look: ReadThenRequest, callContext: CallContext) => Promise<void>,
): Promise<void> {
  const { settings } = prepared;
  const here = settings.baseUrl === undefined && settings.context === undefined;
  if (here)
    throw usageFailure([
      {
        field: settings.curl ? '--curl' : '--dry-run',
        problem: 'needs a service here: the post is read to find its failed targets',
        fix: 'specify -C <context> or --base-url',
      },
    ]);
  const service = await openService(locationOf(settings), settings, runtime);
  try {
    const { before } = invocation.hooks;
    const request = dryRunRequest(invocation, settings);
    const look: ReadThenRequest = async (input, callContext) => {
      const step = await before!(input, callContext, false);
      return step.instead === undefined ? request(step.input) : undefined;
    };
    await work(look, await createCallContext(invocation, prepared, service, runtime));
  } finally {
    await service.close();
  }
}
