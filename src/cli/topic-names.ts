// The help topics, each a function that gives its lines when it is asked for.

type Topic = () => Promise<readonly string[]> | readonly string[];

export const topics: Readonly<Record<string, Topic>> = {
  flags: async () => (await import('./help-topics.ts')).flagsTopic(),
  environment: async () => (await import('./help-topics.ts')).environmentTopic(),
  'exit-codes': async () => (await import('./help-topics.ts')).exitCodesTopic(),
  output: async () => (await import('./help-topics.ts')).outputTopic(),
  batch: async () => (await import('./help-topics.ts')).batchTopic(),
};

/** The topic of a word, in its singular or plural: `batches` is `batch`. */
export function topicOf(word: string): Topic | undefined {
  const name = Object.keys(topics).find((topic) => stem(topic) === stem(word));
  return name === undefined ? undefined : topics[name];
}

const stem = (word: string): string => word.replace(/(?:(?<=ch)es|s)$/, '');
