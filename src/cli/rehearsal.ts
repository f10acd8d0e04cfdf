// What a dry run shows for an input: the request as it would leave, its secrets masked.

import { toRequest, type Input } from '../call/request.ts';
import type { HttpRequest } from '../http.ts';
import { waitForPost } from './extras/posts-wait.ts';
import type { Invocation } from './prepare.ts';
import { maskSecrets } from './mask-secrets.ts';
import { placeOf, type Place } from './service.ts';
import type { Settings } from './settings.ts';

/** Makes the requests of a dry run. Throws where a place was named that is not there. */
export function rehearsal(
  { operation, fields }: Pick<Invocation, 'operation' | 'fields'>,
  settings: Settings,
): (input: Input) => HttpRequest {
  const here = settings.baseUrl === undefined && settings.context === undefined;
  const { baseUrl } = here ? nowhere : placeOf(settings);
  // What only waits sends what it looks with.
  const sent = operation.command === waitForPost.command ? waitForPost.wait!.poll! : operation;
  const address = { baseUrl, query: settings.query };
  return (input) => toRequest(sent, maskSecrets(fields, input), address);
}

/** A dry run needs no service; this stands for its address. */
export const nowhere: Place = { baseUrl: 'https://SOCIAL_BASE_URL', sandbox: false };
