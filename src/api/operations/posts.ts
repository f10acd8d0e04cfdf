// "Posts" in the API document: read a post, retry its failed targets, reply on a published target.

import * as z from 'zod/mini';
import { BlueskyUri, blueskyUri, ResourceId, ResourceIds } from '../schema/ids.ts';
import { CommentReply, Post } from '../schema/post.ts';
import { described, NonEmpty, textSchema } from '../schema/rules.ts';
import { operation } from './define-operation.ts';
import { judgeRetry } from './settle.ts';
import { waitForTargets } from './waits.ts';

/** The post, with where its ID comes from. */
const postIdText = 'Post ID (16 letters, from an export, an alert or social history list)';

const header = [
  'title',
  'id',
  'status',
  'content',
  'scheduledFor',
  'publishedAt',
  'profileId',
] as const;

const targetColumns = [
  'platform',
  'status',
  'id',
  'error',
  'nativeUrl',
  'updatedAt',
  'accountId',
] as const;

export const get = operation({
  command: 'posts get',
  summary: 'Show a post and the state of its targets',
  method: 'GET',
  path: '/v1/posts/{postId}',
  input: { postId: described(ResourceId, postIdText, { argument: 'many' }) },
  result: Post,
  rows: 'targets',
  header,
  columns: targetColumns,
  examples: {
    'Show a post': 'social posts get PostSpringLaunch',
    'Print only some fields, for a script':
      'social posts get PostSpringLaunch --json --fields status,targets.id',
  },
});

export const retry = operation({
  command: 'posts retry',
  summary: 'Retry the failed platform targets of a post',
  question: 'Retry post',
  details:
    'Without --failed the service decides, also on what may be published already; with it, only failed targets are named, so running it again posts nothing twice.',
  method: 'POST',
  path: '/v1/posts/{postId}/retry',
  input: {
    postId: described(ResourceId, postIdText, { argument: 'many' }),
    targetIds: described(z.optional(ResourceIds), 'Only this target (16 letters, see posts get)', {
      flag: 'target',
    }),
  },
  result: Post,
  rows: 'targets',
  header,
  columns: targetColumns,
  partsField: 'targetIds',
  wait: waitForTargets(get),
  done(said, isWaitedFor) {
    if (isWaitedFor) return `What was retried of ${said('postId')} is published now`;
    const isMoving = said('status') === 'publishing';
    return `Retry of ${said('postId')} accepted${isMoving ? ': publishing now' : ''}`;
  },
  inspect: { words: ['posts', 'get'], ids: ['{postId}'] },
  settle: {
    read: get,
    noun: 'post',
    judge: judgeRetry,
    again: { words: ['posts', 'retry'], ids: ['{postId}'], flags: ['--failed'] },
  },
  examples: {
    'Let the service decide what to retry': 'social posts retry PostSpringLaunch',
    'Only failed targets': 'social posts retry PostSpringLaunch --failed',
    'Retry one target and wait for the outcome':
      'social posts retry PostSpringLaunch --target TargetSpringLink --wait',
  },
});

export const reply = operation({
  command: 'posts reply',
  summary: 'Reply to a comment on a published target',
  question: 'Reply on post',
  details:
    'Bluesky needs the URI and CID of the thread’s first post and of the comment. For Mastodon, without --parent-status-id the reply is to the published status itself.',
  method: 'POST',
  path: '/v1/posts/{postId}/comments/reply',
  input: {
    postId: described(ResourceId, postIdText, { argument: 'one' }),
    targetId: described(ResourceId, 'Target ID (16 letters, see posts get)', {
      flag: 'target',
    }),
    text: described(textSchema(1, 300), 'Text of the reply, 1 to 300 characters', { prose: true }),
    rootUri: described(z.optional(BlueskyUri), 'Bluesky: URI of the thread’s first post'),
    rootCid: described(z.optional(NonEmpty), 'Bluesky: CID of the thread’s first post'),
    parentUri: described(z.optional(BlueskyUri), 'Bluesky: URI of the comment'),
    parentCid: described(z.optional(NonEmpty), 'Bluesky: CID of the comment'),
    parentStatusId: described(z.optional(NonEmpty), 'Mastodon: status ID (number in its URL)', {
      isId: true,
    }),
  },
  complete: (input) => {
    const uris = ['rootUri', 'parentUri'].flatMap((name) => {
      const uri = input[name];
      return typeof uri === 'string' ? [[name, blueskyUri(uri)] as const] : [];
    });
    return { ...input, ...Object.fromEntries(uris) };
  },
  result: CommentReply,
  columns: ['platform', 'postId', 'targetId', 'commentUri', 'nativeUrl', 'createdAt'],
  done(said) {
    const platform = said('platform') ?? 'the platform';
    return `Replied on ${platform.replace(/^[a-z]/, (first) => first.toUpperCase())}`;
  },
  inspect: 'Check the comments on the platform: the API cannot list them.',
  examples: {
    'Reply on Mastodon':
      'social posts reply PostAutumnRecaps --target TargetAutumnMast --text "Thank you!"',
  },
});
