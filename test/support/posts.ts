// Posts as the service sends them, for tests that script a service of their own.

export interface ScriptedTarget {
  readonly id: string;
  readonly platform: string;
  readonly status: string;
  readonly updatedAt: string;
  readonly error?: string;
}

const target =
  (platform: string, id: string) =>
  (status: string, error?: string, updatedAt = '2026-03-02T09:00:00Z') => ({
    id,
    postId: 'PostForTheTestsA',
    platform,
    status,
    createdAt: '2026-03-01T09:00:00Z',
    updatedAt,
    ...(error === undefined ? {} : { error }),
  });

/** A target of each platform; the status is an argument. */
export const targets = {
  twitter: target('twitter', 'TargetOnTwitterA'),
  linkedin: target('linkedin', 'TargetOnLinkedIn'),
  mastodon: target('mastodon', 'TargetOnMastodon'),
};

/** Returns a post with these targets; its status is that of the first. */
export const targetPost = (of: readonly ScriptedTarget[]) => ({
  id: 'PostForTheTestsA',
  organizationId: 'org',
  createdBy: 'user',
  title: 'A post',
  status: of[0]?.status ?? 'draft',
  mediaItems: [],
  tags: [],
  hashtags: [],
  mentions: [],
  metadata: {},
  crosspostingEnabled: false,
  targets: of,
  createdAt: '2026-03-01T09:00:00Z',
  updatedAt: '2026-03-02T09:00:00Z',
});
