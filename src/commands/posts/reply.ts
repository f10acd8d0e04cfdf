// `posts reply` warns before a reply on Bluesky that does not say which comment it answers. It is sent all the same: the
// API document does not say which of these fields are required.

import type { Input } from '../../api/operations/define-operation.ts';
import { kebab } from '../../api/operations/fields.ts';
import type { Command, CommandHooks, Session } from '../../client/session.ts';
import { idsToOffer } from '../../history/seen-ids.ts';

const COMMENT_FIELDS = ['rootUri', 'rootCid', 'parentUri', 'parentCid'];

const replyHooks: CommandHooks = {
  warning(input, session) {
    const missing = COMMENT_FIELDS.filter((name) => input[name] === undefined);
    if (missing.length === 0) return undefined;
    if (missing.length === COMMENT_FIELDS.length && !isKnownBluesky(input, session))
      return undefined;
    const flags = missing.map((name) => `--${kebab(name)}`).join(', ');
    return `a reply on Bluesky needs ${flags} too, to answer a comment`;
  },
};

/** True if a response has shown on this machine that the target is on Bluesky. */
function isKnownBluesky({ postId, targetId }: Input, { settings, runtime }: Session): boolean {
  const known = idsToOffer(
    { kind: 'target', posts: [String(postId)] },
    { ...settings, stateDir: runtime.stateDir },
  );
  return known.some(([id, said]) => id === targetId && said.split(', ').includes('bluesky'));
}

/** The hooks of `posts reply`. */
export const replyCommand: Pick<Command, 'hooks'> = { hooks: async () => replyHooks };
