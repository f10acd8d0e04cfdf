// The folders that Windows gives to a user alone.

import { homedir } from 'node:os';
import { expect, it, vi } from 'vitest';
import { profileFolders } from '../../src/fs/permissions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('a path is in the Windows profile only below folders that a variable names in full', () => {
  const roaming = temporaryFolder();
  vi.stubEnv('APPDATA', roaming);
  vi.stubEnv('LOCALAPPDATA', 'local');
  try {
    expect(profileFolders()).toEqual([homedir(), roaming]);
    vi.stubEnv('APPDATA', undefined);
    expect(profileFolders()).toEqual([homedir()]);
  } finally {
    vi.unstubAllEnvs();
  }
});
