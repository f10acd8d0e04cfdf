// `@last`: the post that this user last saw at a terminal, or changed from anywhere on this machine, at one service. It
// is read off the IDs seen and the history of changes; what is not recorded is not known.

import { RESOURCE_ID } from '../api/schema/id-patterns.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Located } from '../config/name-file.ts';
import { readHistory } from './entries.ts';
import { idsSeen, originOfIds } from './known-ids.ts';

/** The ID of the post. A batch changes many posts: none of them is the last. */
export function lastPost(at: Located, runtime: Runtime): string | undefined {
  const origin = originOfIds(at);
  const seen = [...idsSeen({ ...at, ...runtime })].find(({ kind }) => kind === 'post');
  const changed = readHistory(runtime).changes.findLast(
    ({ command, ids: [id = ''], count = 1, ...entry }) =>
      entry.origin === origin &&
      entry.outcome !== 'unsent' &&
      command.startsWith('posts ') &&
      count === 1 &&
      RESOURCE_ID.test(id),
  );
  if (changed === undefined) return seen?.id;
  const isSeenLater = seen !== undefined && seen.time >= Date.parse(changed.startedAt);
  return isSeenLater ? seen.id : changed.ids[0];
}
