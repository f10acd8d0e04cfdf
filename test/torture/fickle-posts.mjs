// The posts of the fickle service: what a target goes through after a retry, in the time of a clock that can be set
// forward. It publishes a target as often as it is asked to, and remembers by which request.

/** The clock of the service: real time, and what was skipped. */
export function clockOf() {
  let skippedMs = 0;
  return {
    now: () => Date.now() + skippedMs,
    skip: (ms) => void (skippedMs += ms),
    skippedMs: () => skippedMs,
  };
}

const PLATFORMS = ['mastodon', 'linkedin', 'twitter'];
const ERRORS = ['HTTP 503 from the platform', 'HTTP 429 from the platform', 'connection reset'];
/** Statuses of targets that no retry has touched; most have failed. */
const STARTS = ['published', 'action_required', 'cancelled', 'publishing', 'scheduled'];
const HOUR_MS = 3_600_000;

/** Makes the posts of a history: `habits` says how their targets behave. */
export function ficklePosts(random, habits, clock) {
  const posts = new Map();
  for (let i = random.between(1, random.chance(0.2) ? 8 : 3); i > 0; i--) {
    const id = `Post${random.letters(12)}`;
    const count = random.between(1, random.chance(0.3) ? 4 : 2);
    const targets = Array.from({ length: count }, () => targetOf(random, habits, clock));
    posts.set(id, { id, targets, random: random.fork() });
  }
  return posts;
}

function targetOf(random, habits, clock) {
  const isOther = random.chance(habits.otherStarts);
  const target = {
    id: `Target${random.letters(10)}`,
    platform: random.pick(PLATFORMS),
    error: random.pick(ERRORS),
    isTwice: random.chance(habits.twice),
    /** How often a retry fails before one succeeds. */
    failures: random.chance(habits.failsAgain) ? random.between(1, 2) : 0,
    start: isOther ? random.pick(STARTS) : 'failed',
    states: [],
    events: [],
    /** The requests that have published it; 'itself' if none had to. */
    publishedBy: [],
  };
  const at = roundedFor(habits)(clock.now() - HOUR_MS);
  target.states.push({ at, status: target.start, updatedAt: at });
  if (target.start === 'published') target.publishedBy.push('itself');
  if (target.start === 'publishing') {
    const endsAt = clock.now() + random.pick([400, 3000, 100_000]);
    target.events.push({ at: endsAt, status: random.chance(0.5) ? 'published' : 'failed' });
  }
  return target;
}

/** The precision of this service's timestamps. */
const roundedFor =
  ({ wholeSeconds }) =>
  (at) =>
    wholeSeconds ? Math.floor(at / 1000) * 1000 : Math.round(at);

const stateNow = ({ states }) => states.at(-1);

/** Lets happen what has happened by now. */
export function settle(target, habits, now) {
  for (;;) {
    target.events.sort((a, b) => a.at - b.at);
    if (target.events.length === 0 || target.events[0].at > now) return;
    const event = target.events.shift();
    const { at } = event;
    if (event.retryOf !== undefined) begin(target, habits, event);
    else {
      if (event.status === 'published') target.publishedBy.push(event.request ?? 'itself');
      const isFrozen = habits.frozenFailures && event.status === 'failed';
      const updatedAt = isFrozen ? stateNow(target).updatedAt : roundedFor(habits)(at);
      target.states.push({ at, status: event.status, updatedAt });
    }
  }
}

/** Has a target retried at a time: the request starts then, whether or not it was answered. */
export function retry(target, request, at, random) {
  target.events.push({ at, retryOf: request, random });
}

function begin(target, habits, { at, retryOf: request, random }) {
  const isGood = target.failures <= 0;
  target.failures--;
  const status = isGood ? 'published' : 'failed';
  const { started, touches, speed, failsAtOnce } = habits;
  const kept = stateNow(target).status;
  const updatedAt = touches ? roundedFor(habits)(at) : stateNow(target).updatedAt;
  target.states.push({ at, status: started === 'as it was' ? kept : started, updatedAt });
  const lastsMs = random.between(...(random.chance(0.5) ? speed : [5, 40]));
  const endsAt = at + (isGood || !failsAtOnce ? lastsMs : 0);
  if (random.chance(0.3) && endsAt > at + 100)
    target.events.push({ at: (at + endsAt) / 2, status: 'publishing', request });
  target.events.push({ at: endsAt, status, request });
}

/** Returns the state of a target as it was at a time. */
export const stateAt = ({ states }, at) => states.findLast((state) => state.at <= at) ?? states[0];

/** Returns the rows of a post, as it was at a time, without the targets that `isMissing` names. */
export function rowsOf({ targets }, at, isMissing = () => false) {
  return targets
    .filter((target) => !isMissing(target))
    .flatMap((target) => {
      const { id, platform, error, isTwice, states } = target;
      const row = ({ status, updatedAt }) => ({
        id,
        platform,
        status,
        updatedAt,
        ...(status === 'failed' ? { error } : {}),
      });
      const rows = [row(stateAt(target, at))];
      if (isTwice) rows.push(row(states[0]));
      return rows;
    });
}
