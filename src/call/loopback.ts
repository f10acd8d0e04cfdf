// Name resolution that never leads away from this machine: for `localhost` over plain http, where the name
// alone is not to be trusted with a token.

import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isLoopbackHost } from '../schema/address.ts';

/** The code of the error that a name of another machine ends with. */
export const NOT_THIS_MACHINE = 'NOT_THIS_MACHINE';

/** Resolves like the system does, and fails when any of the addresses is not a loopback one. */
export const lookupHere: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, options, (error, found, family) => {
    const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
    if (error !== null || addresses.every((each) => each === '::1' || isLoopbackHost(each)))
      callback(error, found, family);
    else callback(Object.assign(new Error('not this machine'), { code: NOT_THIS_MACHINE }), '', 0);
  });
};
