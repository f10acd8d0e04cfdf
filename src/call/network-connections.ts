// So many connections to one origin, and who rides on which. Each is a client of undici's, which opens it when it is
// first needed, and again after it has ended. undici's own pool tells everybody of everything that happens, which took
// an item of a batch 1.3 µs more.

import type { Client, Dispatcher } from 'undici';
import HttpClient from 'undici/lib/dispatcher/client.js';

/** A way to the service: connections, or what leads through a proxy. */
export interface Way {
  dispatch(options: Dispatcher.DispatchOptions, passenger: Passenger): unknown;
  /** Ends every connection at once. */
  destroy(): Promise<unknown>;
}

/** What is told how its request goes. */
export interface Passenger extends Dispatcher.DispatchHandler {
  /** Nobody waits for its answer any more. */
  readonly isOver: boolean;
  /** It has a connection to itself. Has to call `leave` once, after the last that undici tells it. */
  seated(leave: () => void): void;
}

interface Seat {
  readonly client: Client;
  readonly leave: () => void;
}

interface Waiting {
  readonly options: Dispatcher.DispatchOptions;
  readonly passenger: Passenger;
}

/** Opens `most` connections at most, each when there is no other; who finds none free waits in line. */
export function connections(origin: string, most: number, options: Client.Options): Way {
  const clients: Client[] = [];
  const free: Seat[] = [];
  const line: Waiting[] = [];

  const another = (): Seat | undefined => {
    if (clients.length >= most) return undefined;
    const client = new HttpClient(origin, options);
    clients.push(client);
    const seat: Seat = {
      client,
      leave() {
        const next = nextOf(line);
        if (next === undefined) free.push(seat);
        else take(seat, next);
      },
    };
    return seat;
  };
  const take = ({ client, leave }: Seat, { options: request, passenger }: Waiting): void => {
    passenger.seated(leave);
    client.dispatch(request, passenger);
  };
  return {
    dispatch(request, passenger) {
      const waiting = { options: request, passenger };
      const seat = free.pop() ?? another();
      if (seat === undefined) line.push(waiting);
      else take(seat, waiting);
    },
    async destroy() {
      // Who waits in line is seated by those who have to leave, and refused as all are who come too late.
      await Promise.all(clients.map((client) => client.destroy()));
    },
  };
}

/** The first in line that is still wanted. */
function nextOf(line: Waiting[]): Waiting | undefined {
  for (let next = line.shift(); next !== undefined; next = line.shift())
    if (!next.passenger.isOver) return next;
  return undefined;
}
