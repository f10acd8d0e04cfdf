// A thing of the seed as the change that makes it, its value checked against its kind.

import type { Change, Kind, Kinds } from '../kinds.ts';

export const entry = <K extends Kind>(kind: K, id: string, value: Kinds[K]): Change =>
  [kind, id, value] as unknown as Change;
