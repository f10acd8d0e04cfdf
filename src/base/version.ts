// The version, from package.json; the build makes it a literal.

import manifest from '../../package.json' with { type: 'json' };

export const version: string = manifest.version;
