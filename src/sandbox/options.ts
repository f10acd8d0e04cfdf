// The options of the sandbox commands: start states, kinds that can be listed, and number ranges.

/** Kinds whose ids can be listed; `failed-post` are the posts that have a failed target. */
export const listedKinds = [
  'post',
  'failed-post',
  'account',
  'audience',
  'credential',
  'webhook',
] as const;

export type ListedKind = (typeof listedKinds)[number];

export const startNames = ['demo', 'outage', 'clean', 'big'] as const;

export type StartName = (typeof startNames)[number];

/** For help and guides. */
export const startDescriptions: Readonly<Record<StartName, string>> = {
  demo: 'a post in each state; the default',
  outage: 'the demo and 240 posts that failed in the last two hours, for eight different causes',
  clean: 'accounts and one published post; nothing failed or pending, no webhook',
  big: 'the demo and 3000 posts of the last year, one in twelve with a failed target',
};

/** Of `sandbox serve`. */
export const PORTS = { minimum: 0, maximum: 65_535 };
export const SEEDS = { minimum: 0, maximum: 999_999_999 };

/** The largest body of a request that is read. */
export const MAX_BODY_BYTES = 1_048_576;
