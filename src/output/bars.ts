// Bars for people: blocks where the locale has UTF-8, else signs of ASCII. Every number also stands beside its bar.

import type { Runtime } from '../base/runtime.ts';
import { hasUtf8 } from './color.ts';

/** Draws a bar of `width` columns; it is full only if `done` is all, and not empty if `done` is something. */
export type Bar = (done: number, total: number, width: number) => string;

export function barFor(runtime: Pick<Runtime, 'env' | 'program'>): Bar {
  const [full, empty] = hasUtf8(runtime) ? ['█', '░'] : ['#', '.'];
  return (done, total, width) => {
    const share = total === 0 ? 0 : Math.floor((width * done) / total);
    const filled = Math.min(width, done > 0 ? Math.max(1, share) : 0);
    return full.repeat(filled) + empty.repeat(width - filled);
  };
}
