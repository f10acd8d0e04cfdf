// What the sandbox assumes because the API document does not say it, for `social help sandbox`.
// Sentences only: a change to a handler changes its sentence here.

import { assumedQueryNames } from '../api/schema/protocol.ts';

export const assumptions: readonly string[] = [
  'Every successful operation returns 200.',
  'Error bodies contain ok: true, as in the document’s samples; details is a list of { field, message }.',
  '400: the request cannot be read; 401: no token or a wrong one; 404: not found; 405: wrong method; 409: not possible in this state; 413: body over 1 MiB; 415: body is not JSON; 422: invalid input.',
  'Error codes name the resource or the rule: post_not_found, nothing_failed, validation_failed.',
  `Query parameters are called ${Object.values(assumedQueryNames).join(' and ')}; other query parameters are ignored, other body fields rejected.`,
  'A retry sets its targets to publishing; about a second later each is published, or failed with a reason.',
  'The status of a post follows its targets: publishing while one is publishing, else action_required if one is, published or failed if all are, partial if some failed and some are published.',
  'Failed targets can be retried while others are publishing. A post or a target that has not failed: 409. A target of another post: 422.',
  'TargetSpringMast fails once more before it is published and TargetFlashBFace three times, so that a wait can end with failures.',
  'A scheduled target is published at its scheduled time.',
  'A reply needs a published target, otherwise 409. Fields for other platforms are ignored.',
  'An account of the wrong platform: 422. An account that must be reconnected: 409.',
  'Repeating a Mastodon action changes nothing and succeeds.',
  'Selecting a board accepts any profile; the account and the board must exist.',
  'A pairing session starts with its first request: pending_start, after 2 seconds pending_confirmation, after 6 seconds connected with an account. An access code is pending for 4 seconds. The samples called unanswered expire after 5 seconds with the status expired.',
  'Pinning a pinned message returns idempotent: true.',
  'A deleted audience is not found afterwards: 404.',
  'Disabling a credential disconnects its accounts; all of them must be reconnected. Repeating it succeeds.',
  'A webhook needs url and events; its name defaults to the host and isActive to true. disabledAt never changes.',
  'A webhook delivery is { id, event, createdAt, data: { post } }: post.partial for a partial post, post.failed for a failed one. For events of accounts, data has account, for those of ads, ad.',
  'Nothing is sent to platforms, and nothing is delivered to webhooks but what sandbox trigger sends.',
  'There are no rate limits. The token does not expire; a reset keeps it.',
];
