// Text from outside as Markdown: it cannot become a part of the structure around it.

import { sanitizeLine } from '../base/sanitize.ts';

export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Text in which nothing is Markdown, HTML or a link. */
export const markdownText = (text: string): string =>
  sanitizeLine(text).replace(
    /[\\`*_[\]<>|~#&!]|:(?=\/\/)|(?<=www)\.|(?<=^\d+)[.)]|^[-+=]/g,
    String.raw`\$&`,
  );

/** Text as code; a bar would end the cell of a table even there. */
export function markdownCode(text: string): string {
  const shown = sanitizeLine(text).replaceAll('|', String.raw`\|`);
  const runs = (shown.match(/`+/g) ?? []).map(({ length }) => length);
  const fence = '`'.repeat(runs.length === 0 ? 1 : Math.max(...runs) + 1);
  const gap = runs.length === 0 ? '' : ' ';
  return `${fence}${gap}${shown}${gap}${fence}`;
}
