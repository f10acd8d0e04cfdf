// `api --paginate`: reads a list page by page and prints the items of each as it comes. One request at a time; what is
// printed are whole pages, and after a failure the suggested command continues with the page that failed.

import { anyRead } from '../../api/operations/any-path.ts';
import { afterSending, Failure } from '../../base/errors.ts';
import type { HttpRequest } from '../../base/http.ts';
import { toJson } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import { limiterFor } from '../../batch/limiter.ts';
import type { CallContext } from '../../client/call-context.ts';
import { callOperation } from '../../client/call-operation.ts';
import { readWhole } from '../../client/read-response.ts';
import type { Jq } from '../../output/jq.ts';
import { oncePerLine } from '../../output/notes.ts';
import { asFailure } from '../../output/error-report.ts';
import { cannotContinue, nextPath, pageItems, shown, stepIn, stepOf } from './next-page.ts';
import type { Pagination } from './pagination.ts';

/** A list that is read, and what is done with each page of it. */
interface PagedList {
  /** The request of the first page. */
  readonly request: HttpRequest;
  /** Its path and query, from the first slash. */
  readonly path: string;
  /** The command that reads on from another path; nothing where that may not be shown. */
  resume(path: string): string | undefined;
  show(
    items: readonly unknown[],
    form: Pagination['form'],
    runtime: Pick<Runtime, 'note'>,
  ): Promise<void>;
}

interface Page {
  readonly headers: HttpRequest['headers'];
  readonly body: unknown;
}

/** Reads and shows page after page. Throws what a page failed by, with the command that continues there. */
export async function paginate(
  list: PagedList,
  pagination: Pagination,
  callContext: CallContext,
): Promise<void> {
  const paced = pacedCalls(pagination, callContext);
  const { runtime, service } = paced;
  const seen = new Set<string>();
  let path = list.path;
  for (let pages = 0; ; pages++) {
    if (pages === pagination.maxPages)
      return endEarly(pages, list.resume(path), pagination, runtime);
    seen.add(path);
    const url = service.baseUrl + path;
    const page = await readPage({ ...list.request, url }, paced).catch((error: unknown) => {
      throw pages === 0 ? error : continuing(error, list.resume(path));
    });
    await list.show(itemsOf(page, paced), pagination.form, runtime);
    // A reader that has closed the pipe has seen enough.
    if (runtime.stdout.gone === true) return;
    const step = await stepAfter(page, pagination.next);
    if (step === undefined) return;
    path = nextPath(step, path, service.baseUrl);
    if (seen.has(path))
      throw cannotContinue(`the next page was read before; stopped: ${shown(path)}`);
  }
}

/** The same context with the pace of a batch: the rate, and a pause where the service asks for one. */
function pacedCalls({ rate }: Pagination, callContext: CallContext): CallContext {
  const { runtime, settings } = callContext;
  const limits = { concurrency: 1, rate };
  const { retryPolicy } = limiterFor(limits, settings, runtime, { signal: runtime.signal });
  return {
    ...callContext,
    runtime: { ...runtime, note: oncePerLine(runtime.note) },
    retryPolicy: (_operation, retries) => retryPolicy(retries),
  };
}

async function readPage(request: HttpRequest, callContext: CallContext): Promise<Page> {
  let headers: Page['headers'] = {};
  const { data } = await callOperation(
    callContext,
    anyRead,
    {},
    {
      request,
      read(operation, response) {
        headers = response.headers;
        return readWhole(operation, response);
      },
    },
  );
  return { headers, body: data };
}

function itemsOf({ body }: Page, { runtime }: CallContext): readonly unknown[] {
  const items = pageItems(body);
  if (items !== undefined) return items;
  runtime.note('note: the response is not one list; each page is printed as one item');
  return [body];
}

async function stepAfter({ headers, body }: Page, next: Jq | undefined) {
  if (next === undefined) return stepIn(headers, body);
  const { text, faults } = await next.apply(toJson(body));
  const [fault] = faults;
  if (fault === undefined) return stepOf(text);
  throw new Failure('local_io', { what: `--next failed on a page: ${fault}`, sent: true });
}

/** The same failure, after other requests, with the command that continues, in the hint where a login comes first. */
function continuing(error: unknown, next: string | undefined): Failure {
  const { kind, facts } = afterSending(asFailure(error)) as Failure;
  if (next === undefined) return new Failure(kind, facts);
  // After a refused token something has to be done first, also where no line does it.
  if (facts.next === undefined && facts.status !== 401)
    return new Failure(kind, { ...facts, next });
  const hint = [...(facts.hint === undefined ? [] : [facts.hint]), `then resume: ${next}`];
  return new Failure(kind, { ...facts, hint: hint.join('\n') });
}

/** The end before the end of the list: what the user asked for, or a failure where it was not asked for. */
export function endEarly(
  pages: number,
  next: string | undefined,
  { isBounded }: Pick<Pagination, 'isBounded'>,
  { note }: Pick<Runtime, 'note'>,
): void {
  const what = `stopped after ${pages} ${pages === 1 ? 'page' : 'pages'}; the list continues`;
  if (!isBounded)
    throw new Failure('still_pending', {
      what,
      hint: '--max-pages sets another limit',
      sent: true,
      retryable: false,
      ...(next === undefined ? {} : { next }),
    });
  note(`${what} (--max-pages)`);
  if (next !== undefined) note(`resume: ${next}`);
}
