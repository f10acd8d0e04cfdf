// A further command line of this program, for the user to type: at the same service as this call.

import { shellQuote } from './dry-run.ts';
import type { RawFlags, Settings } from './settings.ts';

/** `social -C prod posts get …`: the words, with the flags that say where. */
export function again(
  words: string,
  { settings, flags }: { readonly settings: Settings; readonly flags: RawFlags },
): string {
  const { context } = settings;
  const { baseUrl, cacert } = flags;
  return [
    'social',
    ...(context === undefined ? [] : ['-C', context]),
    ...(typeof baseUrl === 'string' ? ['--base-url', shellQuote(baseUrl)] : []),
    ...(typeof cacert === 'string' ? ['--cacert', shellQuote(cacert)] : []),
    words,
  ].join(' ');
}
