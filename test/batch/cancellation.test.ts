// A signal stops a batch gently, and a second one at once.

import { EventEmitter } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCancellation } from '../../src/batch/cancellation.ts';

function setup(controller = new AbortController()) {
  const urgent = new EventEmitter();
  const cancel = createCancellation({
    signal: controller.signal,
    onUrgent(work) {
      urgent.on('signal', work);
      return () => void urgent.off('signal', work);
    },
  });
  onTestFinished(cancel.close);
  const stopped = () => [cancel.soft.reason as unknown, cancel.hard.reason as unknown];
  return { controller, cancel, stopped, again: () => void urgent.emit('signal') };
}
const never = new Promise<void>(() => undefined);
const soon = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms, 'later'));

describe('a batch', () => {
  it('starts no further item after one signal, and a second aborts the requests in progress', () => {
    const { controller, stopped, again } = setup();
    expect(stopped()).toEqual([undefined, undefined]);
    controller.abort('signal');
    expect(stopped()).toEqual(['signal', undefined]);
    again();
    expect(stopped()).toEqual(['signal', 'signal']);
  });

  it('does not start when the signal came before', () => {
    const controller = new AbortController();
    controller.abort('before');
    const { stopped } = setup(controller);
    expect(stopped()).toEqual(['before', undefined]);
  });

  it('keeps the first reason that stopped it', () => {
    const { controller, cancel, stopped } = setup();
    cancel.interrupt('one');
    cancel.interrupt('two');
    controller.abort('three');
    expect(stopped()).toEqual(['one', undefined]);
  });

  it('ignores signals once it is closed, except the second after a first', () => {
    const one = setup();
    one.cancel.close();
    one.controller.abort('late');
    one.again();
    expect(one.stopped()).toEqual([undefined, undefined]);
    const other = setup();
    other.controller.abort('first');
    other.cancel.close();
    other.again();
    expect(other.stopped()).toEqual(['first', 'first']);
  });
});

describe('a step of the end', () => {
  it('is awaited, and its error is passed on', async () => {
    const { cancel, controller } = setup();
    controller.abort('first');
    let isDone = false;
    await cancel.inTime(soon(20).then(() => void (isDone = true)));
    expect(isDone).toBe(true);
    await cancel.inTime(undefined);
    const broken = new Error('disk full');
    await expect(cancel.inTime(Promise.reject(broken))).rejects.toBe(broken);
  });

  it('has half a second after a second signal', async () => {
    const { cancel, controller, again } = setup();
    controller.abort('first');
    const ended = cancel.inTime(never);
    again();
    expect(await Promise.race([ended, soon(400)])).toBe('later');
    await expect(ended).rejects.toBe('first');
  });
});
