// Shows the request of a dry run as text, as JSON, or as a curl command. It needs no token and shows none; secrets in
// the body are masked.

import { usageFailure } from '../base/errors.ts';
import { fieldsOf } from '../api/operations/fields.ts';
import type { HttpRequest } from '../base/http.ts';
import { escapeInvisible, parseJson, toJson } from '../base/json.ts';
import type { Runtime } from '../base/runtime.ts';
import { sanitize } from '../base/sanitize.ts';
import { toRequest } from './build-request.ts';
import { baseUrlOf } from './open-client.ts';
import { type FlagSpec, isJsonForm, keyOfFlag, type RawFlags } from '../config/flags.ts';
import type { Settings } from '../config/settings.ts';
import { maskSecretFields } from '../output/redact.ts';
import { formOf } from '../output/write-result.ts';
import { type CommandLine, quotedLine } from '../base/shell.ts';
import { isChange, type Input } from '../api/operations/define-operation.ts';
import type { Session } from './session.ts';

/** The value of the authorization header; a shell inserts the token. */
const AUTHORIZATION = 'Bearer $SOCIAL_TOKEN';

/** Writes requests on stdout in the requested form, with the header of the token. */
export async function writeRequests(
  requests: readonly HttpRequest[],
  settings: Settings,
  { stdout }: Runtime,
): Promise<void> {
  const form = formOf(settings, stdout);
  const indent = form === 'json' && stdout.isTTY ? 2 : 0;
  const authorized = requests.map((request) => ({
    ...request,
    headers: { ...request.headers, authorization: AUTHORIZATION },
  }));
  const asJson = ({ method, url, headers, body }: HttpRequest) =>
    `${toJson({ method, url, headers, body: body && parseJson(body) }, indent)}\n`;
  const text = settings.curl
    ? requests.map((request) => asCurl(request, settings)).join('')
    : isJsonForm(form)
      ? authorized.map(asJson).join('')
      : authorized.map(asText).join('\n');
  await stdout.write(text);
}

function asText({ method, url, headers, body }: HttpRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return sanitize(
    `${method} ${url}\n${lines.join('\n')}\n${body === undefined ? '' : `\n${body}\n`}`,
  );
}

/** Linux limits a word of a command to 128 KiB; curl also asks before it sends a large body. */
const LONG_BODY_BYTES = 100_000;

/** Makes a curl command that sends the request as shown; the token stays a variable of the shell. */
function asCurl({ method, url, headers, body }: HttpRequest, { cacert }: Settings): string {
  // Invisible characters become JSON escapes, which mean the same and can be copied from a screen.
  const text = escapeInvisible(body ?? '');
  const isLong = Buffer.byteLength(text) > LONG_BODY_BYTES;
  const words: CommandLine = [
    ...(isLong ? ['printf', '%s', text, { gap: '|' }] : []),
    'curl',
    // curl reads brackets and braces as patterns for several addresses, unless -g is given.
    ...(/[[\]{}]/.test(url) ? ['-g'] : []),
    // With -X HEAD, curl waits for a body that never comes.
    ...(method === 'HEAD' ? ['-I'] : ['-X', method]),
    url,
    ...(cacert === undefined ? [] : ['--cacert', cacert]),
    '-H',
    { gap: `"Authorization: ${AUTHORIZATION}"` },
    ...Object.entries(headers).flatMap(([name, value]) => [
      '-H',
      // curl removes a header that has nothing after its colon; a semicolon sends it empty.
      value === '' ? `${name};` : `${name}: ${value}`,
    ]),
    ...(isLong ? ['-H', 'expect:', '--data-binary', '@-'] : []),
    ...(body === undefined || isLong ? [] : ['--data-raw', text]),
  ];
  return `${quotedLine(words)}\n`;
}

/** A placeholder for the address, because a dry run needs no service. */
const NO_BASE_URL = 'https://SOCIAL_BASE_URL';

const namesService = ({ baseUrl, context }: Settings): boolean =>
  baseUrl !== undefined || context !== undefined;

/** Returns the address for the requests of a dry run. Throws if the named service does not exist. */
export const dryRunBaseUrl = (settings: Settings): string =>
  namesService(settings) ? baseUrlOf(settings) : NO_BASE_URL;

/** Returns a function that makes the request for an input, with secrets masked. Throws like `dryRunBaseUrl`. */
export function dryRunRequest({
  operation,
  settings,
}: Pick<Session, 'operation' | 'settings'>): (input: Input) => HttpRequest {
  const baseUrl = dryRunBaseUrl(settings);
  const fields = fieldsOf(operation);
  // A command that only waits sends the read of its first poll.
  const shown = isChange(operation) ? operation : (operation.wait?.poll ?? operation);
  const address = { baseUrl, query: settings.query };
  return (input) => toRequest(shown, maskSecretFields(fields, input), address);
}

/**
 * True if a typed flag makes the request depend on the state at the service, which has to be read first. Throws `usage`
 * if there is no service to read from. Only `posts retry` has such flags.
 */
export function readsFirst({
  flagSpecs,
  flags,
  settings,
}: {
  readonly flagSpecs: readonly FlagSpec[];
  readonly flags: RawFlags;
  readonly settings: Settings;
}): boolean {
  const isTyped = flagSpecs.some((flag) => flag.readsFirst && flags[keyOfFlag(flag)] !== undefined);
  if (isTyped && !namesService(settings))
    throw usageFailure({
      field: settings.curl ? '--curl' : '--dry-run',
      problem: 'needs a service here, to read the post and find its failed targets',
      fix: 'specify -C <context> or --base-url',
    });
  return isTyped;
}

/**
 * Makes the request for an input that depends on the state at the service: reads the state, but does not send the
 * request. Resolves with `undefined` if the command would send nothing.
 */
export async function requestAfterRead(
  session: Session,
  input: Input,
): Promise<HttpRequest | undefined> {
  const waits = false;
  // The hook exists, because only commands with it have flags that read first.
  const step = await session.hooks.before!(input, session, waits);
  return step.do === 'send' ? dryRunRequest(session)(step.input) : undefined;
}
