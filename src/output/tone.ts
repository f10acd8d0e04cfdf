// Colour, for a stream that gets it.

import { Chalk } from 'chalk';
import { GLUE, plainTone, type Tone } from './color.ts';

export function tone(color: boolean, unicode: boolean): Tone {
  const plain = plainTone(unicode);
  if (!color) return plain;
  const chalk = new Chalk({ level: 1 });
  const many = new Chalk({ level: 2 });
  return {
    good: chalk.green,
    bad: chalk.red,
    moving: chalk.yellow,
    faint: chalk.dim,
    strong: chalk.bold,
    swatch: (hex) => `${many.hex(hex)(unicode ? '■' : '*')}${GLUE}`,
    plain: plain.plain,
    signs: plain.signs,
  };
}
