// Version and addresses from package.json; the bundler inlines them.

import manifest from '../../package.json' with { type: 'json' };

interface Facts {
  readonly version: string;
  readonly homepage?: string | undefined;
  readonly bugs?: { readonly url: string } | undefined;
}
const facts: Facts = manifest;

export const version = facts.version;
/** These addresses are set by the publisher of the program: the documentation, and where to report bugs. */
export const homepage: string | undefined = facts.homepage;
export const bugsUrl: string | undefined = facts.bugs?.url;
