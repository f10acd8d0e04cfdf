// What ends in one turn of the event loop, handed on in one go when all of the turn has been read. What is done with
// one answer is then done with each of them, step by step, while its code is at hand: of the 35 µs that an item of a
// batch took, 2 went on running all the steps for one answer and then all of them anew for the next.

/** Gives a value to who waits for it, at the end of this turn; in the order in which they were given. */
export type HandOn = <T>(take: (value: T) => void, value: T) => void;

/** A queue of its own. */
export function together(): HandOn {
  let waiting: (readonly [take: (value: never) => void, value: unknown])[] = [];
  const handOn = () => {
    const now = waiting;
    waiting = [];
    for (const [take, value] of now) take(value as never);
  };
  return (take, value) => {
    if (waiting.length === 0) setImmediate(handOn);
    waiting.push([take, value]);
  };
}
