// Flags that earlier versions had, and what to do instead.

export const removedFlags: Readonly<Record<string, string>> = {
  '--fail-fast': 'use --max-failures 1',
  '--report': 'use --json: one line for each record',
  '--unknown-to':
    'use --journal: social history settle finds out what became of its unknown outcomes',
};
