// The embedded service's state. Starts nothing.

import { examineState } from '../../sandbox/examine.ts';
import { failed, ok, warn, type Examination } from './finding.ts';

export const sandbox: Examination = ({ world }) => {
  try {
    const state = examineState(world.stateDir());
    if (state.found === 'none') return [ok('sandbox', 'not used yet; its first use makes it')];
    if (state.found === 'good') return [ok('sandbox', `${state.path}, ${state.things} things`)];
    return [
      warn(
        'sandbox',
        `${state.path} is damaged; its next use sets it aside and starts anew`,
        'social sandbox reset',
      ),
    ];
  } catch (error) {
    return [failed('sandbox', error)];
  }
};
