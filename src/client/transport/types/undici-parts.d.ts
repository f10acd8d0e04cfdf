// The parts of undici that are loaded by their path: the package as a whole brings fetch, WebSocket and caches, and
// costs three times as much to load. Their types are the package's own.

declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
