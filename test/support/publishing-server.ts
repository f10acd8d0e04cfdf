// A service of the test's own that holds posts, publishes them when it is asked to retry, and remembers what it was
// asked. What its answers look like over time is up to the test.

import { targetPost, type ScriptedTarget } from './posts.ts';
import {
  recordingServer,
  successResponse,
  type StubResponse,
  type RecordingServer,
} from './recording-server.ts';

export interface PublishingServer {
  readonly url: string;
  /** The bodies of the retries, as they came. */
  retries(): readonly unknown[];
  /** Reads that came before and after the first retry. */
  looks(): { readonly before: number; readonly after: number };
}

/** How the targets are: before a retry, in its answer, and at each look after it, the last one for ever. */
export interface Script {
  readonly before: readonly ScriptedTarget[];
  readonly answer: readonly ScriptedTarget[];
  readonly after: readonly (readonly ScriptedTarget[])[];
}

const answerOf = (path: string, of: readonly ScriptedTarget[], more: object): StubResponse =>
  successResponse(JSON.stringify({ ...targetPost(of), ...more, id: path.split('/')[3] }));

const gets = (list: readonly string[]) => list.filter((each) => each === 'GET').length;

/** Starts it; each post goes its own way, by the script of its id. */
export async function publishingServer(
  scriptOf: (postId: string) => Script,
  more: object = {},
): Promise<PublishingServer> {
  const looks = new Map<string, number>();
  const retried = new Set<string>();
  const service: RecordingServer = await recordingServer((_number, { method, target }) => {
    const post = target.split('/')[3]!;
    const { before, answer, after } = scriptOf(post);
    if (method === 'POST') {
      retried.add(post);
      return answerOf(target, answer, more);
    }
    if (!retried.has(post)) return answerOf(target, before, more);
    const look = looks.get(post) ?? 0;
    looks.set(post, look + 1);
    return answerOf(target, after[Math.min(look, after.length - 1)] ?? answer, more);
  });
  const methods = () => service.requests.map(({ method }) => method);
  return {
    url: service.url,
    retries: () =>
      service.requests
        .filter(({ method }) => method === 'POST')
        .map(({ body }) => JSON.parse(body) as unknown),
    looks() {
      const first = methods().indexOf('POST');
      return first < 0
        ? { before: gets(methods()), after: 0 }
        : { before: gets(methods().slice(0, first)), after: gets(methods().slice(first)) };
    },
  };
}
