// docs/terminal.svg shows what the program prints now: it is drawn again, at a real pseudo-terminal, and compared.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/program.ts';

const kept = readFileSync(join(root, 'docs/terminal.svg'), 'utf8');

/** The drawing, but for how many seconds ago something was. */
const timeless = (svg: string) =>
  svg.replaceAll(
    / textLength="[\d.]+">\d+<\/text><text [^>]+>seconds?<\/text><text [^>]+>ago</g,
    '>just now<',
  );

it('the picture of the README is what the tool prints', () => {
  const script = ['scripts/picture.mjs', '--print'];
  const now = execFileSync(process.execPath, script, { cwd: root, encoding: 'utf8' });
  expect(timeless(now)).toBe(timeless(kept));
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('](docs/terminal.svg)');
}, 60_000);

it('places each word of the picture by itself, so that no renderer can lose a column', () => {
  const texts = [...kept.matchAll(/<text(.*?)>(.*?)<\/text>/gs)].map(([, attributes, text]) => ({
    attributes: attributes!,
    text: text!,
  }));
  expect(texts.length).toBeGreaterThan(100);
  const placed = /^ x="[\d.]+" y="\d+" textLength="[\d.]+"(?: class="[a-z ]+")?$/;
  const blank = /[\s\u00a0<]/;
  expect(texts.filter((word) => !placed.test(word.attributes) || blank.test(word.text))).toEqual(
    [],
  );
});
