// A module loader for TypeScript, also for versions of Node without one: strips the types and nothing else.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/utils';

/** The built files are CommonJS, where `__dirname` is defined. */
const FOLDER = 'const __dirname = import.meta.dirname;';

export function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const path = fileURLToPath(url);
  const { code, map, errors } = transformSync(path, readFileSync(path, 'utf8'), {
    sourcemap: true,
  });
  if (errors.length > 0) throw errors[0];
  const inline = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
  const folder = code.includes('__dirname') ? FOLDER : '';
  const source = `${code}\n${folder}\n//# sourceMappingURL=${inline}`;
  return { format: 'module', source, shortCircuit: true };
}
