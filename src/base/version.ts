// Facts of the package, from package.json; the bundler writes them in.

import manifest from '../../package.json' with { type: 'json' };

export const version: string = manifest.version;
/** Where the documentation is, and where faults are reported. */
export const homepage: string = manifest.homepage;
export const bugs: string = manifest.bugs.url;
