// The publisher of the program sets its addresses in package.json. Until then no page sends people or reports to an
// address that a stranger could register.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/program.ts';

const repository = /github\.com[/:][\w.-]*social[\w.-]*/gi;
const email = /[\w.%+-]+@(?:[a-z\d-]+\.)+[a-z]{2,}/gi;
const reserved = /[@.](?:example|test|invalid|localhost|example\.(?:com|net|org))$/i;

const addressesIn = (text: string) => [
  ...(text.match(repository) ?? []),
  ...(text.match(email) ?? []).filter((found) => !reserved.test(found)),
];

it('private addresses are distinguished from those of examples', () => {
  const [owner, somebody] = ['social-cli', 'security'];
  expect(addressesIn(`https://github.com/${owner}/social/issues`)).toHaveLength(1);
  expect(addressesIn(`write to ${somebody}@social.dev`)).toHaveLength(1);
  expect(addressesIn(`${somebody}@github.com:${owner}/social.git`)).toHaveLength(2);
  expect(addressesIn('user@a.example, p4ss@api.example.com, zod@4.6.7')).toEqual([]);
});

it('private addresses are in no tracked file', () => {
  const paths = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split(
    '\0',
  );
  const files = paths.filter((path) => path !== '' && existsSync(join(root, path)));
  expect(files).toContain('package.json');
  const found = files.flatMap((path) =>
    addressesIn(readFileSync(join(root, path), 'utf8')).map((address) => `${path}: ${address}`),
  );
  expect(found).toEqual([]);
});
