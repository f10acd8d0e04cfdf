// `posts reply` warns of a reply on Bluesky that did not say which comment it answers. It warns after the response, which
// names the platform, and sends it all the same: the API document does not say which of these fields are required.

import { kebab } from '../../api/operations/fields.ts';
import { isObject } from '../../base/json.ts';
import type { Command, CommandHooks } from '../../client/session.ts';

const COMMENT_FIELDS = ['rootUri', 'rootCid', 'parentUri', 'parentCid'];

const replyHooks: CommandHooks = {
  async after({ data }, input, { runtime }) {
    const isBluesky = isObject(data) && data['platform'] === 'bluesky';
    const missing = COMMENT_FIELDS.filter((name) => input[name] === undefined);
    if (!isBluesky || missing.length === 0) return;
    const flags = missing.map((name) => `--${kebab(name)}`).join(', ');
    runtime.note(
      `warning: this reply on Bluesky had no ${flags}; a reply to a comment needs all four`,
    );
  },
};

/** The hooks of `posts reply`. */
export const replyCommand: Pick<Command, 'hooks'> = { hooks: async () => replyHooks };
