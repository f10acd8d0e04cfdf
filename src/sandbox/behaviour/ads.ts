// Advertising audiences in the sandbox: what is deleted stays deleted until a reset.

import type { BehavioursOf } from '../behaviour.ts';
import { find } from './find.ts';

export const ads: BehavioursOf<'ads'> = {
  audiencesDelete({ audienceId }, records) {
    const { name } = find(records, 'audience', audienceId);
    records.delete('audience', audienceId);
    return { message: `Audience ${audienceId} (${name}) was deleted.` };
  },
};
