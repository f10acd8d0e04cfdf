// The help topics, each a function that gives its lines when it is asked for.

type Topic = () => Promise<readonly string[]> | readonly string[];

export const topics: Readonly<Record<string, Topic>> = {
  environment: async () => (await import('./environment.ts')).environment(),
  'exit-codes': async () => (await import('./exit-codes.ts')).exitCodes(),
  output: async () => (await import('./output.ts')).output(),
  scripting: async () => (await import('./scripting.ts')).scripting(),
  contexts: async () => (await import('./contexts.ts')).contexts(),
  batch: async () => (await import('./batch.ts')).batch(),
  sandbox: async () => (await import('./sandbox.ts')).sandbox(),
  assumptions: async () => (await import('./assumptions.ts')).assumptions(),
};
