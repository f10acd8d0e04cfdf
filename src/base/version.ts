// Version and addresses from package.json; the bundler inlines them.

import manifest from '../../package.json' with { type: 'json' };

const facts: { version: string; homepage?: string; bugs?: { url: string } } = manifest;

export const { version } = facts;
/** These addresses are set by the publisher of the program: the documentation, and where to report bugs. */
export const homepage = facts.homepage;
export const bugsUrl = facts.bugs?.url;
