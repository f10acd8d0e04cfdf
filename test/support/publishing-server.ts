// A service for tests that has posts, publishes them when a retry is requested, and records the requests. The test says
// how its responses change over time.

import { targetPost, type ScriptedTarget } from './posts.ts';
import {
  recordingServer,
  successResponse,
  type StubResponse,
  type RecordingServer,
} from './recording-server.ts';

export interface PublishingServer {
  readonly url: string;
  /** Returns the bodies of the retries, in their order. */
  retries(): readonly unknown[];
  /** Counts the reads before and after the first retry. */
  looks(): { readonly before: number; readonly after: number };
}

/** The targets before a retry, in its response, and at each poll after it; the last poll is repeated. */
export interface Script {
  readonly before: readonly ScriptedTarget[];
  readonly answer: readonly ScriptedTarget[];
  readonly after: readonly (readonly ScriptedTarget[])[];
}

const answerOf = (path: string, of: readonly ScriptedTarget[], more: object): StubResponse =>
  successResponse(JSON.stringify({ ...targetPost(of), ...more, id: path.split('/')[3] }));

const gets = (list: readonly string[]) => list.filter((each) => each === 'GET').length;

/** Starts the service; each post follows the script for its ID. */
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
