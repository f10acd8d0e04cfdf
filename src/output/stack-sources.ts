// Where in the sources the frames of a stack are, by the maps that the build makes beside its files. The package brings
// none: there a stack names the built files. Node's own way (--enable-source-maps) costs each start.

import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join, sep } from 'node:path';
import { ifPossible } from '../base/errors.ts';

const PLACE = /^([\w-]+\.cjs):(\d+):(\d+)/;

/** The same stack with the places in `folder`, where the built files are, as places in the sources. */
export function inSources(stack: string, folder: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  const start = `${folder}${sep}`;
  const sourceOf = (place: string, file: string, line: string, column: string): string => {
    if (!maps.has(file)) maps.set(file, mapOf(join(folder, file)));
    const found = maps.get(file)?.findOrigin(Number(line), Number(column));
    if (found === undefined || !('fileName' in found)) return start + place;
    return `${join(folder, found.fileName)}:${found.lineNumber}:${found.columnNumber}`;
  };
  const [before = '', ...parts] = stack.split(start);
  return [
    before,
    ...parts.map((part) => (PLACE.test(part) ? part.replace(PLACE, sourceOf) : start + part)),
  ].join('');
}

const mapOf = (path: string): SourceMap | undefined =>
  ifPossible(
    () => new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload),
  );
