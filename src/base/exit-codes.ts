// The exit codes: the closed list of kinds of failure, with the code and the meaning of each.

/** The kinds of failure, with the exit code each one ends the process with. */
export const failureKinds = {
  internal: { exitCode: 1, meaning: 'internal error of the tool' },
  usage: {
    exitCode: 2,
    meaning:
      'usage error, invalid value, or missing confirmation without a terminal; nothing was sent',
  },
  declined: {
    exitCode: 3,
    meaning: 'answered no, or the typed ID did not match; nothing was sent',
  },
  unauthorized: { exitCode: 4, meaning: 'no token, or HTTP 401 or 403' },
  not_found: { exitCode: 5, meaning: 'not found: HTTP 404 or 410, or no such target of the post' },
  refused: {
    exitCode: 6,
    meaning: 'rejected by the service: any other HTTP 4xx, or an error in the body',
  },
  rate_limited: {
    exitCode: 7,
    meaning: 'rate limited: HTTP 429 (or 503 with Retry-After), retries exhausted',
  },
  still_pending: {
    exitCode: 8,
    meaning:
      'still in progress when the wait ended: --wait-timeout ran out, or the polls failed; with api --paginate, the list continues',
  },
  no_answer: {
    exitCode: 9,
    meaning:
      'no usable response (network, timeout, 5xx, unreadable body); nothing can have changed',
  },
  ended_badly: {
    exitCode: 10,
    meaning:
      'the wait ended with failed targets or an expired pairing; with --require-ready, the account is not ready',
  },
  batch_failed: { exitCode: 11, meaning: 'some items of a batch failed, or it was stopped' },
  outcome_unknown: {
    exitCode: 12,
    meaning:
      'outcome unknown: a change was sent and got no usable response; it was not retried; stderr shows how to check it',
  },
  local_io: {
    exitCode: 13,
    meaning: 'a local file or stream failed: configuration, credentials, journal, lock, output',
  },
  interrupted: { exitCode: 130, meaning: 'SIGINT (Ctrl-C)' },
  hung_up: { exitCode: 129, meaning: 'SIGHUP (terminal closed)' },
  terminated: { exitCode: 143, meaning: 'SIGTERM' },
} as const satisfies Record<string, { exitCode: number; meaning: string }>;

export type FailureKind = keyof typeof failureKinds;

const signalKinds = ['interrupted', 'terminated', 'hung_up'] as const;

/** Kinds of failure caused by a signal: Ctrl-C, SIGTERM, a closed terminal. */
export type SignalKind = (typeof signalKinds)[number];

export const isSignal = (kind: FailureKind): kind is SignalKind =>
  signalKinds.some((signal) => signal === kind);

/** Returns the kind of signal that an exit code stands for. */
export const signalOf = (exitCode: number): SignalKind | undefined =>
  signalKinds.find((kind) => failureKinds[kind].exitCode === exitCode);
