// The output of `--debug`: each request and response on stderr, with every secret masked. Changes neither.

import { ifPossible } from '../base/errors.ts';
import type { HttpRequest, HttpResponse, Send } from '../base/http.ts';
import { parseJson } from '../base/json.ts';
import { secretPlaces, isSecretName, secretTexts } from '../output/redact-by-name.ts';
import { MASK, createRedactor } from '../output/redact.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import type { Runtime } from '../base/runtime.ts';

const MOST_SHOWN = 2000;

/**
 * Sends, and shows requests and responses. Of the token only its place is shown; credentials known by their place in the
 * path or their name in the body are masked too.
 */
export async function traceSend(
  send: Send,
  { stderr, monotonic, secrets: { mask } }: Runtime,
): Promise<Send> {
  const places = await secretPlaces();
  // Each fact is one line: text from outside must not look like a line of this program.
  const writeLines = (lines: readonly string[]) =>
    stderr.write(lines.map((line) => `${sanitizeLine(mask(line))}\n`).join(''));
  return async (request, signal) => {
    const isSecret = places.isSecretAt(request.url.split('?', 1)[0]!);
    const { authorization, ...headers } = request.headers;
    await writeLines([
      `> ${request.method} ${places.maskPath(request.url)}`,
      ...(authorization === undefined ? [] : [`> authorization: Bearer ${MASK}`]),
      ...contentLines({ ...request, headers }, '>', isSecret, mask),
    ]);
    const start = monotonic();
    const took = () => `${Math.round(monotonic() - start)} ms`;
    try {
      const response = await send(request, signal);
      await writeLines([
        `< HTTP ${response.status} after ${took()}`,
        ...contentLines(response, '<', isSecret, mask),
        ...labelWarning(response),
      ]);
      return response;
    } catch (error) {
      await writeLines([`< no response after ${took()}: ${(error as Error).message}`]);
      throw error;
    }
  };
}

/** Formats headers and body, each line marked with its direction; a long body is masked whole, and then cut. */
function contentLines(
  { headers, body = '' }: Pick<HttpRequest, 'headers' | 'body'>,
  mark: string,
  isSecret: (name: string) => boolean,
  mask: (text: string) => string,
): readonly string[] {
  // A body that is not JSON has no secrets that are known by name.
  const hide = createRedactor(ifPossible(() => secretTexts(parseJson(body), isSecret)) ?? []);
  const fields = Object.entries(headers).map(
    ([name, value]) => `${mark} ${name}: ${isSecretName(name) ? MASK : hide(value)}`,
  );
  if (body === '') return fields;
  const safe = mask(hide(body));
  const cut =
    safe.length > MOST_SHOWN ? `${safe.slice(0, MOST_SHOWN)}… (${body.length} characters)` : safe;
  return [...fields, `${mark} ${cut}`];
}

/** Warns of a JSON body whose content type says otherwise: it is read all the same. */
function labelWarning({ headers, body }: HttpResponse): readonly string[] {
  const type = headers['content-type'] ?? 'nothing';
  const isMislabelled = !/^application\/json\b/i.test(type) && ifPossible(() => parseJson(body));
  return isMislabelled ? [`warning: the response is JSON, labelled as ${type}`] : [];
}
