// The request as it would leave, without leaving: for reading, as JSON, or as a line for a shell.
// Needs no token and shows none; secrets in the body are masked.

import type { HttpRequest } from '../http.ts';
import { escapeInvisible, parseJson, toJson } from '../json.ts';
import { sanitize } from '../output/sanitize.ts';
import type { World } from '../world.ts';
import type { Settings } from './settings.ts';
import { formOf } from './show.ts';

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

/** A word that every POSIX shell reads back as the same text. To zsh, one that begins with = is a program's path. */
export function shellQuote(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)
    ? text
    : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Writes requests on stdout in the form that was asked for. */
export async function writeRequests(
  requests: readonly HttpRequest[],
  settings: Settings,
  { stdout }: World,
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
