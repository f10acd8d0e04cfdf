// The read of the post that a command is about. What makes calls is loaded here: help makes none.

import type { Input } from '../../api/operations/define-operation.ts';
import { get } from '../../api/operations/posts.ts';
import type { Client } from '../../client/open-client.ts';
import type { Result } from '../../client/read-response.ts';

/** Reads the post; with `retries`, no more often than that. */
export async function readPost(
  { postId }: Input,
  client: Client,
  options?: { readonly retries: number },
): Promise<Result> {
  const { callOperation } = await import('../../client/call-operation.ts');
  return callOperation(client, get, { postId }, options);
}
