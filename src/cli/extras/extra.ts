// What a command does beyond its operation: a flag of its own, a default that hangs on another value,
// a judgement of the result. Few operations need one; each is a file here.

import type { Input } from '../../call/request.ts';
import type { RawFlags } from '../settings.ts';

export interface Extra {
  readonly options?: readonly { readonly flags: string; readonly description: string }[];
  /** Fills in what follows from the rest of the input; `note` tells the user. */
  complete?(input: Input, note: (line: string) => void): Input;
  /** Looks at the result after it was shown; throws the `Failure` that the command ends with. */
  judge?(data: unknown, flags: RawFlags): void;
}
