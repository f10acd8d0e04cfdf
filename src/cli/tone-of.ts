// How a stream may be coloured and marked.

import { isUnicode } from '../output/locale.ts';
import { plainTone, wantsColor, type Tone } from '../output/signs.ts';
import type { Sink, World } from '../world.ts';
import type { Settings } from './settings.ts';

/** The colours and signs of a stream. Colour is loaded where there is some. */
export async function toneOf(
  sink: Sink,
  settings: Pick<Settings, 'color'>,
  world: World,
): Promise<Tone> {
  const unicode = isUnicode(world.env);
  if (!wantsColor(settings.color, sink.isTTY, world.env)) return plainTone(unicode);
  return (await import('../output/tone.ts')).tone(true, unicode);
}
