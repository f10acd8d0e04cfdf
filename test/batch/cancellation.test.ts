// How a batch is stopped: gently, and at once by a second signal.

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
  it('starts nothing more after a signal, and a second one aborts what is under way', () => {
    const { controller, stopped, again } = setup();
    expect(stopped()).toEqual([undefined, undefined]);
    controller.abort('signal');
    expect(stopped()).toEqual(['signal', undefined]);
    again();
    expect(stopped()).toEqual(['signal', 'signal']);
  });

  it('is stopped from the start where the signal has come before', () => {
    const controller = new AbortController();
    controller.abort('before');
    const { stopped } = setup(controller);
    expect(stopped()).toEqual(['before', undefined]);
  });

  it('stops by itself, for the first reason there is', () => {
    const { controller, cancel, stopped } = setup();
    cancel.stop('one');
    cancel.stop('two');
    controller.abort('three');
    expect(stopped()).toEqual(['one', undefined]);
  });

  it('hears no signal once it is closed, but for the second after a first', () => {
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
  it('is waited for, and what it fails by is its own', async () => {
    const { cancel, controller } = setup();
    controller.abort('first');
    let isDone = false;
    await cancel.inTime(soon(20).then(() => void (isDone = true)));
    expect(isDone).toBe(true);
    await cancel.inTime(undefined);
    const broken = new Error('disk full');
    await expect(cancel.inTime(Promise.reject(broken))).rejects.toBe(broken);
  });

  it('is waited for as long as it takes while there is one signal', async () => {
    const { cancel, controller } = setup();
    controller.abort('first');
    expect(await Promise.race([cancel.inTime(never), soon(400)])).toBe('later');
  });

  it.each(['before it', 'while it lasts'])(
    'has a quarter of a second after a second signal %s',
    async (when) => {
      const { cancel, controller, again } = setup();
      controller.abort('first');
      if (when === 'before it') again();
      const start = performance.now();
      const ended = cancel.inTime(never);
      again();
      expect(await Promise.race([ended, soon(100)])).toBe('later');
      await ended;
      expect(performance.now() - start).toBeGreaterThan(240);
    },
  );

  it('leaves no timer and no listener behind', async () => {
    const { cancel, controller, again } = setup();
    controller.abort('first');
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
    again();
    const before = timers().length;
    await cancel.inTime(Promise.resolve());
    expect(timers()).toHaveLength(before);
  });
});
