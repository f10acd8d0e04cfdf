// What connects a call with the logs of a service: the id of the call, and the trace that the environment names
// (W3C Trace Context).

import type { HttpRequest } from '../base/http.ts';
import type { Runtime } from '../base/runtime.ts';

/** Of a UUID, what the requests of one command have in common; the rest counts up. */
const COMMON = 29;
const MOST = 0xf_ff_ff_ff;

/**
 * Makes the ids of a command: one random UUID, which ends in a count. So all requests of a batch are found by how their
 * ids begin, and an id takes a batch a quarter of the time that a random one takes.
 */
export function requestIds(): () => string {
  const first = randomUuid();
  const common = first.slice(0, COMMON);
  let count = Number.parseInt(first.slice(COMMON), 16);
  return () => {
    count = (count + 1) & MOST;
    return common + count.toString(16).padStart(7, '0');
  };
}

/**
 * A UUID of version 4. It names a request and protects nothing, so `Math.random` will do: loading node:crypto for
 * randomUUID costs a `get` on Node 26 a fifth of a bare node.
 */
const randomUuid = (): string =>
  `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[Math.floor(Math.random() * 4)]!}${hex(3)}-${hex(12)}`;

const hex = (digits: number): string =>
  Math.floor(Math.random() * 16 ** digits)
    .toString(16)
    .padStart(digits, '0');

/** Version, trace, parent and flags, in lower case; a version after 00 may have more behind them. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-[!-~]{0,200})?$/;
/** Members `key=value`, with commas between them. */
const TRACESTATE = /^[\w*/@-]+=[^,=]+(?:[ \t]*,[ \t]*[\w*/@-]+=[^,=]+)*$/;

/** The headers of the trace that the environment names. What is not valid is left out, and `note` says so. */
export function traceHeaders(
  env: Runtime['env'],
  note: (line: string) => void,
): HttpRequest['headers'] {
  const [parent, state] = [env['TRACEPARENT'], env['TRACESTATE']];
  if (!parent) return {};
  if (!isTraceParent(parent)) {
    note('TRACEPARENT is not a valid traceparent and is ignored');
    return {};
  }
  if (!state) return { traceparent: parent };
  const isValid = state.length <= 512 && /^[\x20-\x7e]+$/.test(state) && TRACESTATE.test(state);
  if (!isValid) note('TRACESTATE is not a valid tracestate and is ignored');
  return { traceparent: parent, ...(isValid ? { tracestate: state } : {}) };
}

function isTraceParent(text: string): boolean {
  const [, version, trace, parent, more] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === 'ff') return false;
  if (version === '00' && more !== undefined) return false;
  // Zeros stand for none.
  return [trace, parent].every((id) => /[^0]/.test(id!));
}
