// The states in which the sandbox can start.

export const startNames = ['demo', 'outage'] as const;

export type StartName = (typeof startNames)[number];

/** Descriptions of the states for help and guides. */
export const startDescriptions: Readonly<Record<StartName, string>> = {
  demo: 'a post in each state; the default',
  outage: 'the demo and 240 posts that failed in the last two hours, for eight different causes',
};
