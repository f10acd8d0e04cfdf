// How a stream may be coloured and marked.

import type { Tone } from '../output/tone.ts';
import type { Sink, World } from '../world.ts';
import type { Settings } from './settings.ts';

/** The colours and signs of a stream. Loaded late: most calls print no colour. */
export async function toneOf(
  sink: Sink,
  settings: Pick<Settings, 'color'>,
  world: World,
): Promise<Tone> {
  const [{ tone, wantsColor }, { isUnicode }] = await Promise.all([
    import('../output/tone.ts'),
    import('../output/locale.ts'),
  ]);
  return tone(wantsColor(settings.color, sink.isTTY, world.env), isUnicode(world.env));
}
