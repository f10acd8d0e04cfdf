// `connect telegram …` on a terminal: while a pairing is pending, offers to keep watching it.

import { judgePairing } from '../../call/settle.ts';
import { canAsk } from '../can-ask.ts';
import { defaultWaiting } from '../waiting-flags.ts';
import type { Extra } from './extra.ts';

export const pairing: Extra = {
  async after(data, input, calling) {
    const { flags, settings, world } = calling;
    const pending = judgePairing(data, world.now()).state === 'pending';
    const asked = flags['wait'] === true || settings.output !== undefined || !world.stdout.isTTY;
    if (!pending || asked || !canAsk(settings, world)) return undefined;
    const ask = await world.ask(settings.accessible);
    if (!(await ask.confirm('It is pending. Keep watching?'))) return undefined;
    const { awaitSettled } = await import('../waiting.ts');
    return awaitSettled(calling, { input, waiting: defaultWaiting });
  },
};
