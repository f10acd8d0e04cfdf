// The commands of posts: the flags and hooks of their operations, and those that have a file of their own.

import { type Extras, specsOf } from '../../cli/specs-of-operation.ts';
import { causesFlag } from '../../client/taught-causes.ts';
import { afterPost } from './next-step.ts';
import { openCommand } from './open.ts';
import { replyCommand } from './reply.ts';
import { retryCommand } from './retry.ts';
import { triageCommand } from './triage.ts';
import { waitCommand } from './wait.ts';

/** The hooks of operations, by command. */
export const extras: Extras = {
  'posts get': { flags: [causesFlag], hooks: async () => ({ after: afterPost }) },
  'posts reply': replyCommand,
  'posts retry': retryCommand,
};

export const commands = [...[triageCommand, waitCommand].flatMap(specsOf), openCommand];
