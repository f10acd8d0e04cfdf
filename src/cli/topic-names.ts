// The help topics, each a function that gives its lines when it is asked for.

type Topic = () => Promise<readonly string[]> | readonly string[];

export const topics: Readonly<Record<string, Topic>> = {
  environment: async () => (await import('./help-topics.ts')).environment(),
  'exit-codes': async () => (await import('./help-topics.ts')).exitCodes(),
  output: async () => (await import('./help-topics.ts')).output(),
  scripting: async () => (await import('./help-topics.ts')).scripting(),
  contexts: async () => (await import('./help-topics.ts')).contexts(),
  batch: async () => (await import('./help-topics.ts')).batch(),
  sandbox: async () => (await import('./help-topics.ts')).sandbox(),
  assumptions: async () => (await import('./help-topics.ts')).allAssumptions(),
};
