// What the platforms said of the targets of a post that did not go out.

import { causeOfTexts, causes } from '../call/cause.ts';
import { moodOf, type Mood } from '../output/mood.ts';
import { valueAt } from '../output/view.ts';

export interface Trouble {
  /** The platform; empty where the answer does not say. */
  readonly platform: string;
  readonly error: string;
}

/** The targets that have an error and are not published; none of what is no post. */
export function troublesIn(data: unknown): readonly Trouble[] {
  return targetsIn(data)
    .filter((target) => valueAt(target, 'status') !== 'published')
    .flatMap((target) => {
      const [platform, error] = [valueAt(target, 'platform'), valueAt(target, 'error')];
      if (typeof error !== 'string') return [];
      return [{ platform: typeof platform === 'string' ? platform : '', error }];
    });
}

/** `linkedin: The session has expired (reconnect the account)`, a line each. */
export const troubleLines = (data: unknown): readonly string[] =>
  troublesIn(data).map(
    ({ platform, error }) =>
      `${platform === '' ? '' : `${platform}: `}${error} (${causes[causeOfTexts([error])]})`,
  );

/** How what was read stands: badly where any target of it does; well where it does not say. */
export function moodIn(data: unknown): Mood {
  const own = valueAt(data, 'status');
  const moods = [own, ...targetsIn(data).map((target) => valueAt(target, 'status'))].map(
    (status) => (typeof status === 'string' ? moodOf(status) : 'good'),
  );
  return moods.includes('bad') ? 'bad' : moods[0]!;
}

function targetsIn(data: unknown): readonly unknown[] {
  const targets = valueAt(data, 'targets');
  return Array.isArray(targets) ? targets : [];
}
