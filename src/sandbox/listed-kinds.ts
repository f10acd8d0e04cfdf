// The kinds of things whose ids can be listed; `failed-post` are the posts that have a failed target.

export const listedKinds = [
  'post',
  'failed-post',
  'account',
  'audience',
  'credential',
  'webhook',
] as const;

export type ListedKind = (typeof listedKinds)[number];
