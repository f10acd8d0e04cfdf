// A dry run of a command whose request depends on the state at the service: the reads are sent, the change is not.

import type { Input } from '../call/request.ts';
import { usageFailure } from '../errors.ts';
import type { HttpRequest } from '../http.ts';
import type { World } from '../world.ts';
import type { Calling } from './calling.ts';
import { extraOf } from './extras/table.ts';
import type { Invocation, Prepared } from './prepare.ts';
import { rehearsal } from './rehearsal.ts';
import { openService, placeOf } from './service.ts';
import { callingOf } from './settled.ts';

/** Gives the request for an input as it would leave now; nothing where nothing would. */
export type Looked = (input: Input, calling: Calling) => Promise<HttpRequest | undefined>;

/** Whether the requests of this command depend on what the service says now. */
export const looksFirst = ({ operation }: Invocation, { flags }: Prepared): boolean =>
  extraOf(operation.command).looks?.(flags) === true;

/** Opens the service for the reads and closes it again. Throws `usage` where there is no service to read from. */
export async function withLooks(
  invocation: Invocation,
  prepared: Prepared,
  world: World,
  work: (look: Looked, calling: Calling) => Promise<void>,
): Promise<void> {
  const { settings } = prepared;
  const { operation } = invocation;
  const here = settings.baseUrl === undefined && settings.context === undefined;
  if (here)
    throw usageFailure([
      {
        field: settings.curl ? '--curl' : '--dry-run',
        problem: 'needs a service here: the post is read to find its failed targets',
        fix: 'specify -C <context> or --base-url',
      },
    ]);
  const service = await openService(placeOf(settings), settings, world);
  invocation.hide(service.tokens);
  try {
    const { before } = extraOf(operation.command);
    const request = rehearsal(invocation, settings);
    const look: Looked = async (input, calling) => {
      const step = await before!(input, calling, false);
      return step.instead === undefined ? request(step.input) : undefined;
    };
    await work(look, await callingOf(invocation, prepared, service, world));
  } finally {
    await service.close();
  }
}
