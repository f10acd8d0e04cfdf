// The package of the Model Context Protocol, without its weight on everything else. It names all of zod, which would
// keep all of zod in the file that every command loads: it gets a zod of its own. And it brings a judge of JSON
// Schemas (ajv, 300 kB) for servers that ask their clients for input; this one asks for none.

import { readFile } from 'node:fs/promises';

/** Behind the name of a module: the copy that belongs to the package alone. */
const OWN = '?own';
const SHIMS = '\0mcp-shims';

const shims = `
  export { default as process } from 'node:process';
  export class DefaultJsonSchemaValidator {
    getValidator() { throw new Error('no JSON Schema is judged here'); }
  }`;

const owned = (code, specifier) =>
  code.replace(specifier, (_all, start, name, end) => `${start}${name}${OWN}${end}`);

export const leanMcp = {
  name: 'lean-mcp',
  transform: {
    filter: { id: /node_modules[\\/]@modelcontextprotocol[\\/].*\.mjs$/ },
    handler: (code) => owned(code, /(\bfrom ["'])(zod[^"']*)(["'])/g),
  },
  resolveId: {
    filter: { id: [/\?own$/, /^@modelcontextprotocol\/server\/_shims$/] },
    async handler(source, importer = '', options) {
      if (!source.endsWith(OWN)) return SHIMS;
      const [name, from] = [source, importer].map((each) => each.replace(OWN, ''));
      const found = await this.resolve(name, from, { ...options, skipSelf: true });
      return found && { ...found, id: found.id + OWN };
    },
  },
  load: {
    filter: { id: [/\?own$/, /^\0mcp-shims$/] },
    async handler(id) {
      if (id === SHIMS) return shims;
      const code = await readFile(id.slice(0, -OWN.length), 'utf8');
      return owned(code, /(\b(?:from|import) ["'])(\.[^"']*)(["'])/g);
    },
  },
};
