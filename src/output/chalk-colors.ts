// Colour, for a stream that gets it.

import { Chalk } from 'chalk';
import { GLUE, plainColors, type Colors } from './color.ts';

export function chalkColors(color: boolean, unicode: boolean): Colors {
  const plain = plainColors(unicode);
  if (!color) return plain;
  const chalk = new Chalk({ level: 1 });
  const many = new Chalk({ level: 2 });
  return {
    good: chalk.green,
    bad: chalk.red,
    moving: chalk.yellow,
    still: plain.still,
    faint: chalk.dim,
    strong: chalk.bold,
    swatch: (hex) => `${many.hex(hex)(unicode ? '■' : '*')}${GLUE}`,
    plain: plain.plain,
    signs: plain.signs,
  };
}
