// A read before a change. What it shows is kept with the change, so that it can be found out later whether the change
// was made.

import { type Seen, seenIn } from '../api/operations/part-states.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Result } from './read-response.ts';

export class ReadBefore {
  readonly result: Result;
  readonly #clocks: Pick<Runtime, 'monotonic' | 'now'>;
  readonly #at: { readonly monotonic: number; readonly now: number };

  constructor(result: Result, clocks: Pick<Runtime, 'monotonic' | 'now'>) {
    this.result = result;
    this.#clocks = clocks;
    this.#at = { monotonic: clocks.monotonic(), now: clocks.now() };
  }

  /** Returns what was read, dated for this moment. */
  seen(): Seen {
    return seenIn(this.result.data, this.dateNow());
  }

  /**
   * Returns the service's clock at this moment: that of the response, and the time since. The wall clock also counts the
   * time of a suspended machine.
   */
  dateNow(): number | undefined {
    const { serverTime } = this.result;
    const { monotonic, now } = this.#clocks;
    const sinceMs = Math.max(monotonic() - this.#at.monotonic, now() - this.#at.now);
    return serverTime === undefined ? undefined : serverTime + Math.round(sinceMs);
  }
}
