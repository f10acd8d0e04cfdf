// What is to be known of the engine where undici's parser is concerned, which is WebAssembly.

import Module from 'node:module';

/** Node 20, the one without a compile cache of its own, optimises WebAssembly sooner than it pays. */
export const tiersEagerly = !('enableCompileCache' in Module);
