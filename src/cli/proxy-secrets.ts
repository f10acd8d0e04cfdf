// What must not be shown of a proxy.

import type { World } from '../world.ts';

/** The password of a proxy in the environment, for whoever masks secrets. */
export function proxySecrets({ env }: World): readonly string[] {
  return ['https_proxy', 'HTTPS_PROXY'].flatMap((name) => {
    const url = env[name];
    if (url === undefined || !URL.canParse(url)) return [];
    const { password } = new URL(url);
    return [password, ...plainTexts(password)];
  });
}

/** A part of a URL as it was meant; nothing where its percent signs make no sense. */
export function plainTexts(encoded: string): readonly string[] {
  try {
    return [decodeURIComponent(encoded)];
  } catch {
    return [];
  }
}
