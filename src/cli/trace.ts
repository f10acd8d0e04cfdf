// What `--debug` shows: each request and answer on stderr, with every secret masked. Changes nothing of either.

import type { HttpRequest, HttpResponse, Send } from '../http.ts';
import { MASK } from '../output/redact.ts';
import { sanitizeLine } from '../output/sanitize.ts';
import type { World } from '../world.ts';

const MOST_SHOWN = 2000;

/** The same service, telling what passes. `mask` takes the secrets out of a text. */
export function traced(
  send: Send,
  mask: (text: string) => string,
  { stderr, monotonic }: World,
): Send {
  // One fact is one line: text from outside must not look like a line of ours.
  const tell = (lines: readonly string[]) =>
    stderr.write(lines.map((line) => `${sanitizeLine(mask(line))}\n`).join(''));
  return async (request, signal) => {
    await tell(linesOf(request));
    const start = monotonic();
    const took = () => `${Math.round(monotonic() - start)} ms`;
    try {
      const response = await send(request, signal);
      await tell([`< HTTP ${response.status} after ${took()}`, ...partsOf(response, '<')]);
      return response;
    } catch (error) {
      await tell([`< no answer after ${took()}: ${(error as Error).message}`]);
      throw error;
    }
  };
}

const linesOf = (request: HttpRequest) => [
  `> ${request.method} ${request.url}`,
  `> authorization: Bearer ${MASK}`,
  ...partsOf(request, '>'),
];

/** Headers and body, each line marked with its direction; a long body is cut. */
function partsOf(
  { headers, body }: Pick<HttpResponse, 'headers'> & { readonly body?: string },
  mark: string,
): string[] {
  const fields = Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${value}`);
  if (body === undefined || body === '') return fields;
  const cut =
    body.length > MOST_SHOWN ? `${body.slice(0, MOST_SHOWN)}… (${body.length} characters)` : body;
  return [...fields, `${mark} ${cut}`];
}
