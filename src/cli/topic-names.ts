// The help topics, each a function that gives its lines when it is asked for.

type Topic = () => Promise<readonly string[]> | readonly string[];

export const topics: Readonly<Record<string, Topic>> = {
  flags: async () => (await import('./help-topics.ts')).flagsTopic(),
  environment: async () => (await import('./help-topics.ts')).environmentTopic(),
  'exit-codes': async () => (await import('./help-topics.ts')).exitCodesTopic(),
  output: async () => (await import('./help-topics.ts')).outputTopic(),
  scripting: async () => (await import('./help-topics.ts')).scriptingTopic(),
  contexts: async () => (await import('./contexts-topic.ts')).contextsTopic(),
  batch: async () => (await import('./help-topics.ts')).batchTopic(),
  sandbox: async () => (await import('./help-topics.ts')).sandboxTopic(),
  assumptions: async () => (await import('./help-topics.ts')).assumptionsTopic(),
};
