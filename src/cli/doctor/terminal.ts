// What this terminal shows: its width, colour, more than ASCII.

import { TABLE_FROM } from '../../output/format.ts';
import { isUnicode } from '../../output/locale.ts';
import { wantsColor } from '../../output/signs.ts';
import { ok, warn, type Examination } from './finding.ts';

export const terminal: Examination = ({ world, settings }) => {
  const { stdout, env } = world;
  if (!stdout.isTTY) return [ok('terminal', 'none: stdout is a pipe or a file, results are TSV')];
  const { columns } = stdout;
  const colored = wantsColor(settings.color, true, env);
  const told = [
    columns === undefined ? 'of unknown width' : `${columns} columns`,
    colored ? 'colour' : 'no colour',
    isUnicode(env) ? 'UTF-8' : 'ASCII alone',
  ].join(', ');
  if (!isUnicode(env))
    return [warn('terminal', `${told}: signs are plain`, 'export LC_ALL=C.UTF-8')];
  if (env['TERM'] === 'dumb' || env['TERM'] === undefined)
    return [
      warn('terminal', `${told}; TERM does not say what it is`, 'export TERM=xterm-256color'),
    ];
  if (columns !== undefined && columns < TABLE_FROM)
    return [ok('terminal', `${told}: tables become blocks of fields below ${TABLE_FROM}`)];
  return [ok('terminal', told)];
};
