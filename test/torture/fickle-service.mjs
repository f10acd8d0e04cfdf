// A service with bad habits, for `histories.mjs`: it loses responses, acts late, shows old, partial and doubled posts,
// and publishes whatever it is asked to. It writes down what it saw and what it told whom; `knowledge.mjs` judges that.

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import * as http from 'node:http';
import { ficklePosts, retry, rowsOf, settle } from './fickle-posts.mjs';
import { pause, responseOf } from './kit.mjs';

const GATEWAY = '<html><body><h1>Bad gateway</h1></body></html>';
const REFUSED = [422, 429, 409, 401, 403];

/** Draws the bad habits of a service: each history has some of them, and no two that together would be a lie. */
export function habitsOf(random) {
  const often = (part, value, otherwise = 0) => (random.chance(part) ? value : otherwise);
  const started = random.pick([
    'as it was',
    'as it was',
    'publishing',
    'publishing',
    'scheduled',
    'action_required',
    'queued',
  ]);
  const isMoving = ['publishing', 'scheduled'].includes(started);
  const touches = random.chance(0.5);
  // Some services are bad in one way above all, and their operators meet it again and again.
  const theme = random.pick(['any', 'any', 'old reads', 'unknown outcomes']);
  const lags = theme === 'old reads' ? 0.6 : often(0.25, 0.5);
  // A state that differs from all that was shown up to the acceptance is the end of the change, by any rule.
  const mayAnswerBefore = lags === 0 && (isMoving || (started === 'as it was' && !touches));
  return {
    theme,
    started,
    touches,
    lags,
    /** Less than the time that the program gives an accepted change to show. */
    lagsByMs: random.pick([3000, 20_000]),
    answersBefore: mayAnswerBefore && random.chance(0.4),
    speed: random.pick([[20, 300], [200, 1500], isMoving ? [2000, 20_000] : [500, 4000]]),
    failsAgain: theme === 'old reads' ? 0.6 : often(0.4, 0.5),
    failsAtOnce: random.chance(0.2),
    frozenFailures: !touches && random.chance(0.3),
    wholeSeconds: random.chance(0.3),
    otherStarts: often(0.5, 0.25, 0.05),
    twice: often(0.15, 0.3),
    partial: often(0.2, 0.2),
    cached: often(0.25, 0.25),
    cachedForMs: random.pick([5000, 600_000]),
    lost: theme === 'unknown outcomes' ? 0.6 : often(0.3, 0.25, 0.03),
    gateway: often(0.25, 0.2),
    refused: often(0.35, 0.3, 0.03),
    badReads: often(0.3, 0.1),
    slowPolls: often(0.15, 0.3),
    pausesPolls: often(0.1, 0.2),
    hasDate: !random.chance(0.1),
  };
}

/** The habits that are the chance of each request or read. */
const OFTEN = [
  'lags',
  'partial',
  'cached',
  'lost',
  'gateway',
  'refused',
  'badReads',
  'slowPolls',
  'pausesPolls',
];

/** No bad habit at all: how the service is at the end of a history. */
export const wellBehaved = (habits) => ({
  ...habits,
  ...Object.fromEntries(OFTEN.map((habit) => [habit, 0])),
  failsAtOnce: false,
  speed: [20, 200],
});

/**
 * Starts a service. `log` has what was asked and told, in order. `run` is the run of the program that is in progress,
 * with the journal that it writes; `onRequest` is called for each request when it is there and when it was answered.
 */
export async function fickleService(random, habits, clock) {
  const posts = ficklePosts(random, habits, clock);
  const service = { posts, habits, log: [], run: undefined, onRequest: () => {} };
  const settleAll = () => {
    for (const { targets } of posts.values())
      for (const target of targets) settle(target, service.habits, clock.now());
  };

  const handle = async (request, response) => {
    const { run } = service;
    const isRetry = request.method === 'POST';
    const id = request.headers['x-request-id'];
    const hasIntent = isRetry && hasIntentFor(id, run);
    const post = posts.get(request.url.split('/')[3]);
    const ofPost = service.log.filter((one) => one.run === run && one.post === post.id);
    // After a response that is lost the post is read too, once, for advice.
    const isAdvice = !isRetry && ofPost.at(-1)?.told === 'unknown';
    const isPoll = !isRetry && !isAdvice && wereAllRead(ofPost, run, post);
    if (!isPoll) run.workUntil = Date.now();
    let body = '';
    request.on('error', () => {}).on('data', (chunk) => (body += chunk));
    await once(request, 'end').catch(() => {});
    service.onRequest('asked');
    await pause(post.random.between(0, 25));
    settleAll();
    const call = { run, post, request, response, id, hasIntent, isPoll, isAdvice };
    if (isRetry) answerRetry(call, JSON.parse(body || '{}').targetIds);
    else await answerRead(call);
    if (!isPoll) run.workUntil = Date.now();
    service.onRequest('answered');
  };

  /** Writes down a request, does what it asks for or not, and tells the truth about it or not. */
  const answerRetry = ({ run, post, request, response, id, hasIntent }, named) => {
    const chance = (part) => post.random.chance(part);
    const { habits: now } = service;
    const targets = post.targets.filter((target) => named?.includes(target.id) ?? isFailed(target));
    const entry = {
      kind: 'request',
      run,
      post: post.id,
      id,
      hasIntent,
      isWhole: named === undefined,
    };
    const made = { ...entry, ids: targets.map((target) => target.id), at: clock.now() };
    service.log.push(made);
    const earlier = service.log.some(
      ({ kind, acts, ids }) =>
        kind === 'request' && acts && ids.some((one) => made.ids.includes(one)),
    );
    const act = (afterMs) => {
      made.acts = true;
      for (const target of targets) retry(target, made, clock.now() + afterMs, post.random);
      settleAll();
    };
    const tell = (told, status) => {
      const isCut = request.socket.destroyed;
      Object.assign(made, { told: isCut ? 'unknown' : told, status, answeredAt: Date.now() });
    };
    // What was unknown and is sent again is refused more often: a refusal must not hide what is still unknown.
    if (chance(run.retriesUnknown === true ? Math.max(now.refused, 0.6) : now.refused)) {
      const status = post.random.pick(REFUSED.filter((one) => one !== 409 || earlier));
      tell('refused', status);
      const more = status === 429 && chance(0.7) ? { 'retry-after': '1' } : {};
      return send(response, status, '{"ok":false,"error":{"code":"no","message":"No."}}', more);
    }
    if (chance(now.gateway)) {
      if (chance(0.6)) act(post.random.pick([0, 500, 5000, 240_000]));
      tell('unknown', post.random.pick([502, 503, 504]));
      const type = { 'content-type': 'text/html' };
      return send(
        response,
        made.status,
        GATEWAY,
        chance(0.2) ? { ...type, 'retry-after': '1' } : type,
      );
    }
    if (chance(now.lost)) {
      if (chance(now.theme === 'unknown outcomes' ? 0.4 : 0.6))
        act(post.random.pick([0, 0, 500, 5000, 20_000]));
      tell('unknown');
      return void request.socket.destroy();
    }
    const before = clock.now() - 1;
    act(0);
    made.rows = rowsOf(post, now.answersBefore ? before : clock.now());
    tell('accepted', 200);
    service.log.push({
      kind: 'read',
      run,
      post: post.id,
      at: made.at,
      rows: made.rows,
      answers: made,
    });
    return send(response, 200, responseOf(post.id, 'failed', made.rows));
  };

  const answerRead = async ({ run, post, request, response, isPoll, isAdvice }) => {
    const chance = (part) => post.random.chance(part);
    const { habits: now } = service;
    const bad = (what) =>
      service.log.push({ kind: 'bad read', run, post: post.id, at: clock.now(), what });
    if (isPoll && chance(now.pausesPolls)) {
      bad('429, Retry-After: 15');
      return send(response, 429, '{"ok":false,"error":{"code":"slow","message":"Slow."}}', {
        'retry-after': '15',
      });
    }
    if (isPoll && chance(now.slowPolls)) {
      bad('silent for 9 s');
      await pause(9000);
    }
    if (chance(now.badReads)) {
      bad('503 or cut off');
      if (chance(0.5)) return send(response, 503, GATEWAY, { 'content-type': 'text/html' });
      return void request.socket.destroy();
    }
    settleAll();
    const isCached = chance(now.cached);
    const ageMs = isCached ? post.random.between(1000, now.cachedForMs) : 0;
    const lagMs = chance(now.lags) ? post.random.between(200, now.lagsByMs) : 0;
    const isMissing = () => chance(now.partial / 2);
    const rows = rowsOf(post, clock.now() - ageMs - lagMs, now.partial > 0 ? isMissing : undefined);
    const entry = {
      kind: 'read',
      run,
      post: post.id,
      at: clock.now(),
      isCached,
      isAdvice,
      hasDate: now.hasDate,
    };
    const age = isCached ? { age: String(Math.ceil(ageMs / 1000)) } : {};
    send(response, 200, responseOf(post.id, 'failed', rows), age);
    if (!response.destroyed)
      service.log.push({ ...entry, rows, lagMs: lagMs + ageMs, realAt: Date.now() });
  };

  const send = (response, status, body, headers = {}) => {
    const date = new Date(clock.now()).toUTCString();
    response.sendDate = false;
    const own = service.habits.hasDate ? { date } : {};
    response.writeHead(status, { 'content-type': 'application/json', ...own, ...headers });
    response.end(body);
  };

  const listen = (port) => {
    service.server = http.createServer((request, response) => void handle(request, response));
    service.server.on('clientError', (_error, socket) => socket.destroy());
    service.server.listen(port, '127.0.0.1');
    return once(service.server, 'listening');
  };
  const close = () => {
    service.server.closeAllConnections();
    service.server.close();
  };
  await listen(0);
  const { port } = service.server.address();
  return Object.assign(service, {
    url: `http://127.0.0.1:${port}`,
    settleAll,
    close,
    /** Refuses connections for a while. */
    async goDown(ms) {
      close();
      await pause(ms);
      await listen(port);
    },
  });
}

/** True if a run has read a post for each of its records: what it reads then are polls. */
function wereAllRead(entries, { records = [{ postId: entries[0]?.post }] }, { id }) {
  const reads = entries.filter(({ kind, answers }) => kind === 'read' && answers === undefined);
  const lines = records
    .filter(({ postId }) => postId === id)
    .map((record) => JSON.stringify(record));
  return reads.length > 0 && reads.length >= new Set(lines).size;
}

const isFailed = ({ states }) => states.at(-1).status === 'failed';

/** True if the journal of the run has the intent of this request. */
const hasIntentFor = (id, { journal } = {}) =>
  journal === undefined || (existsSync(journal) && readFileSync(journal, 'utf8').includes(id));
