// The one version, from package.json; the bundler writes it in.

import manifest from '../../package.json' with { type: 'json' };

export const version: string = manifest.version;
