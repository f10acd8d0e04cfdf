// The parts of undici that are imported by path: the whole package brings fetch, WebSocket and caches, and takes three
// times as long to load. The types come from the package.

declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
