// What a status word means to the reader. Colour and sign follow from it; the word itself always stands.

import { own } from '../json.ts';

export type Mood = 'good' | 'bad' | 'moving' | 'still';

const MOODS: Readonly<Record<string, Mood>> = {
  published: 'good',
  connected: 'good',
  pinned: 'good',
  ready: 'good',
  failed: 'bad',
  partial: 'bad',
  action_required: 'bad',
  expired: 'bad',
  missing: 'bad',
  publishing: 'moving',
  scheduled: 'moving',
};

/** The mood of a status word, also of one that the document does not list. */
export function moodOf(status: string): Mood {
  return own(MOODS, status) ?? (status.startsWith('pending') ? 'moving' : 'still');
}
