// What the sandbox assumes because the API document does not say it, for `social help sandbox`.
// Sentences only: a change to a handler changes its sentence here.

import { assumedQueryNames } from '../api/schema/protocol.ts';

export const assumptions: readonly string[] = [
  'A success is answered with 200, whatever the operation.',
  'An error body says ok: true, as in the samples of the document; details is a list of { field, message }.',
  '400 a request that cannot be read, 401 no token or a wrong one, 404 no such thing, 405 another method, 409 a state that does not allow it, 413 a body over 1 MiB, 415 a body that is not JSON, 422 an invalid input.',
  'The error code names the thing or the rule: post_not_found, nothing_failed, validation_failed.',
  `A query travels under the names ${Object.values(assumedQueryNames).join(' and ')}; other query names are ignored, other body fields refused.`,
  'A retry sets its targets to publishing; about a second later each one reads published, or failed with a reason.',
  'A post follows its targets: publishing while one is, else action_required if one is, published when all are, failed when all are, partial when failed and published ones meet.',
  'A post cannot be retried while it is publishing or when nothing of it has failed: 409. A target that is not of the post: 422.',
  'TargetSpringMast fails once more before it is published, TargetFlashBFace three times, so that a wait can end badly.',
  'A scheduled target is published when its time has come.',
  'A reply needs a published target: 409 otherwise. Fields for another platform than the target’s are ignored.',
  'An account of another platform than the operation’s: 422. An account that needs reconnecting: 409.',
  'A Mastodon action that is done already changes nothing and succeeds.',
  'Any profile may be named when a board is selected; the account and the board must exist.',
  'A pairing session starts at the first look: pending_start, after 2 seconds pending_confirmation, after 6 seconds connected with an account. An access code is pending for 4 seconds. Those that nobody answers expire after 5 seconds with the status expired.',
  'Pinning what is pinned answers idempotent: true.',
  'A deleted audience is unknown from then on: 404.',
  'Disabling a credential disconnects its accounts: all of them then need reconnecting. Doing it again succeeds.',
  'A webhook endpoint needs url and events; its name defaults to the host, and isActive to true. disabledAt is left alone.',
  'Nothing is ever delivered to a webhook, and nothing is sent to any platform.',
  'There are no rate limits, and the token does not expire; a reset keeps it.',
];
