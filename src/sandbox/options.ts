// The options of the sandbox commands: start states, and number ranges.

export const startNames = ['demo', 'outage'] as const;

export type StartName = (typeof startNames)[number];

/** For help and guides. */
export const startDescriptions: Readonly<Record<StartName, string>> = {
  demo: 'a post in each state; the default',
  outage: 'the demo and 240 posts that failed in the last two hours, for eight different causes',
};

/** Of `sandbox serve`. */
export const PORTS = { minimum: 0, maximum: 65_535 };
export const SEEDS = { minimum: 0, maximum: 999_999_999 };

/** The largest body of a request that is read. */
export const MAX_BODY_BYTES = 1_048_576;
