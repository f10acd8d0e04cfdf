// The tone of a status, as its field declares it: good (green), bad (red), moving (yellow) or still. Colour and sign
// follow from it in `output/color.ts`; the word itself is always shown.

import { ownProperty } from '../../base/json.ts';

export type Tone = 'good' | 'bad' | 'moving' | 'still';

export type Tones = Readonly<Record<string, Tone>>;

/** The tones of connection statuses: of an account, a credential, a pairing. */
export const connectionTones: Tones = {
  connected: 'good',
  ready: 'good',
  action_required: 'bad',
  expired: 'bad',
  failed: 'bad',
  missing: 'bad',
  partial: 'bad',
};

/** The tones of post and target statuses; all others are still. */
export const postTones: Tones = {
  published: 'good',
  action_required: 'bad',
  failed: 'bad',
  partial: 'bad',
  publishing: 'moving',
  scheduled: 'moving',
};

/** The tones of an undeclared status: a response to any path may have those of the API. */
const knownTones: Tones = { ...connectionTones, ...postTones };

/** Returns the tone of a word, as its field declares it; pending is moving. */
export function statusTone(word: string, tones: Tone | Tones = knownTones): Tone {
  if (typeof tones === 'string') return tones;
  return ownProperty(tones, word) ?? (word.startsWith('pending') ? 'moving' : 'still');
}
