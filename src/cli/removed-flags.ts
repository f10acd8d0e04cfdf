// Flags that earlier versions had, and what to do instead.

export const removedFlags: Readonly<Record<string, string>> = {
  '--report': 'use --json: one line for each record',
};
