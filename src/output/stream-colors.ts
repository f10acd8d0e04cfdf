// The colours and signs of a stream; chalk is loaded where there is colour.

import type { OutputStream, Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';
import { type Colors, wantsColor, plainColors } from './color.ts';
import { isUnicode } from './locale.ts';

/** The colours and signs of a stream. Colour is loaded where there is some. */
export async function colorsFor(
  sink: OutputStream,
  settings: Pick<Settings, 'color'>,
  runtime: Runtime,
): Promise<Colors> {
  const unicode = isUnicode(runtime.env);
  if (!wantsColor(settings.color, sink.isTTY, runtime.env)) return plainColors(unicode);
  return (await import('./chalk-colors.ts')).chalkColors(true, unicode);
}
