// The rules that operators teach: what a line may say, and which of them decides.

import { describe, expect, it } from 'vitest';
import { parseCauseRules } from '../../src/client/taught-causes.ts';
import { readCause } from '../../src/client/cause.ts';

const rulesOf = (...lines: readonly string[]) => parseCauseRules(lines.join('\n'), 'team.tsv');

describe('the lines of a file of rules', () => {
  it('are a platform, a cause and a text; comments and empty lines are none', () => {
    const { rules, problems } = rulesOf(
      '\ufeff# ours',
      '',
      '*\tplatform\tSlow\r',
      'reddit\tother\tx y',
    );
    expect(problems).toEqual([]);
    expect(rules).toMatchObject([
      { platform: '*', cause: 'platform', match: 'slow', readFrom: 'team.tsv line 3' },
      { platform: 'reddit', cause: 'other', match: 'x y', readFrom: 'team.tsv line 4' },
    ]);
  });

  it.each([
    ['a', 'platform must be one of'],
    ['blusky\tother\tx', '"blusky"'],
    ['*\tnope\tx', 'cause must be one of'],
    ['*\tother\t', 'text must not be empty'],
    ['*\tother\tx\ty', 'has 4 columns'],
    ['*\tother\t/a+/', 'text must be plain text, not an expression'],
  ])('that cannot be read are named with their number: %j', (line, problem) => {
    const { rules, problems } = rulesOf('# ours', line);
    expect(rules).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(/^team\.tsv line 2: /)]);
    expect(problems[0]).toContain(problem);
  });
});

describe('a rule', () => {
  const { rules } = rulesOf(
    'reddit\tcontent\ttoo many requests',
    '*\tplatform\tTOO MANY',
    '*\ttemporary\ttoo many',
    '*\treconnect\tCode 190',
  );

  it('decides before everything built in, the first that matches', () => {
    const said = 'X answered 429 Too Many Requests';
    expect(readCause('twitter', said)).toMatchObject({ cause: 'temporary' });
    expect(readCause('twitter', said, rules)).toEqual({
      cause: 'platform',
      readFrom: 'team.tsv line 2',
    });
    expect(readCause('reddit', said, rules).readFrom).toBe('team.tsv line 1');
    expect(readCause('facebook', '(#4) code 190', rules).readFrom).toBe('team.tsv line 4');
  });
});
