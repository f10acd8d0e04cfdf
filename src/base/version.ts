// Facts of the package, from package.json; the bundler writes them in.

import manifest from '../../package.json' with { type: 'json' };

interface Facts {
  readonly version: string;
  readonly homepage?: string | undefined;
  readonly bugs?: { readonly url: string } | undefined;
}
const facts: Facts = manifest;

export const version = facts.version;
/** Whoever publishes the program sets its addresses: the documentation, and where bugs are reported. */
export const homepage: string | undefined = facts.homepage;
export const bugs: string | undefined = facts.bugs?.url;
