// Phrases of messages, pages, comments and titles of tests that were hard to read do not come back.

import { readFileSync, readdirSync } from 'node:fs';
import { parseSync, Visitor } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';
import { pages } from '../support/pages.ts';

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');

/** Returns the strings and templates of a source that have at least two words, as people may read them. */
function textsIn(file: string): readonly string[] {
  const texts: string[] = [];
  new Visitor({
    Literal: ({ value }) => void (typeof value === 'string' && texts.push(value)),
    TemplateLiteral: ({ quasis }) =>
      void texts.push(quasis.map(({ value }) => value.cooked ?? '').join('…')),
  }).visit(parseSync(file, read(file)).program);
  return texts.filter((text) => /[a-z…] [a-z…]/i.test(text));
}

/** Returns the comments of a source, each as one text; consecutive lines are one comment. */
function commentsIn(file: string): readonly string[] {
  const text = read(file);
  const comments: { text: string; end: number }[] = [];
  for (const { type, value, start, end } of parseSync(file, text).comments) {
    const plain = value.replaceAll(/^\s*\*+ ?/gm, '').trim();
    const last = comments.at(-1);
    const continues = type === 'Line' && last && /^\n *$/.test(text.slice(last.end, start));
    if (continues) Object.assign(last, { text: `${last.text} ${plain}`, end });
    else comments.push({ text: plain, end });
  }
  return comments.map((comment) => comment.text.replaceAll(/\s+/g, ' '));
}

/** Returns the name of the function at the start of a call such as `it.each(rows)(title, …)`. */
function calledName(node: Readonly<Record<string, unknown>> | undefined): unknown {
  if (node === undefined || node['type'] === 'Identifier') return node?.['name'];
  return calledName((node['object'] ?? node['callee'] ?? node['tag']) as typeof node);
}

/** Returns the titles of the tests in a file, and the labels of the rows in their tables. */
function titlesIn(file: string): readonly string[] {
  const text = read(file);
  const titles: string[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [title, ...rest] }) {
      const isTest = /^(?:describe|it|test|suite|needs\w+)$/.test(
        String(calledName({ ...callee })),
      );
      if (isTest && rest.length > 0 && /^(?:Literal|TemplateLiteral)$/.test(title!.type))
        titles.push(text.slice(title!.start + 1, title!.end - 1));
      const [table] = isTest && callee.type === 'CallExpression' ? callee.arguments : [];
      for (const row of table?.type === 'ArrayExpression' ? table.elements : []) {
        const label = row?.type === 'ArrayExpression' ? row.elements[0] : row;
        if (label?.type === 'Literal') titles.push(String(label.value));
      }
    },
  }).visit(parseSync(file, text).program);
  return titles;
}

/** Phrases that messages and pages had before they were reworded, each with its replacement. */
const retired: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/gives up in/i, 'timeout in'],
  [/longest wait/i, 'Maximum wait time'],
  [/time between looks/i, 'polling interval'],
  [/have settled|settled, not all/i, 'published or failed'],
  [/is a good end|ended badly/i, 'success; failed'],
  [/left out\b/i, 'skipped, removed'],
  [/service error\b/i, 'HTTP <status>'],
  [/may or may not/i, 'may have been applied'],
  [/(?:was|were|is|are) not repeated/i, 'was not retried'],
  [/no usable answer/i, 'no usable response'],
  [/(?:one|none) is taken/i, 'accepts 1 argument'],
  [/names no (?:context|shell|field)/i, 'does not exist, is not set'],
  [/there are: /i, 'name them: commands:, contexts:'],
  [/is not known\b/i, 'unknown <thing>'],
  [/is no (?:command|input|folder|field)\b/i, 'is not a …'],
  [/heads a (?:CSV|table)/i, 'unknown CSV column'],
  [/without consent/i, 'confirmation required'],
  [/contradicts/i, 'cannot be combined with'],
  [/values are not valid/i, 'errors'],
  [/not taken\b/i, 'invalid; not accepted'],
  [/\bwhom?\b .* (?:cuts|runs)|one that I type/i, 'say who does what'],
  [/is (?:any|no) good|counts before|is told\b|unless that is/i, 'takes precedence, unless set'],
  [
    /holds nothing of ours|\d+ things\b|thing(?:s)? (?:does|do) not/i,
    'no token stored; records; checks',
  ],
  [/done once|nothing to do \(|under way/i, 'ignored; already done; in progress'],
  [/at most so many|start nothing more after|go on from there/i, 'maximum; stop after; resumed'],
  [/as it would leave|same as a curl line/i, 'without sending it; as a curl command'],
  [/where and who|put the JSON through/i, 'Target; filter'],
  [/(?:keep|forget) (?:a|the) value|all that is known/i, 'set, unset, show'],
  [/on purpose|makes? faults|making faults|started over/i, 'inject faults; reset'],
  [/in a scrollback|keeps that back|by themselves|ask the exit code/i, 'plain words'],
  [/\bnobody\b|\bsomebody\b/i, 'say who'],
  [/starts? nothing more/i, 'stop early; stop the batch'],
  [
    /command line unknown|is not accepted by|arguments? (?:is|are) taken/i,
    'accepts 1 argument, got 2',
  ],
  [/is not an input of/i, 'unknown field'],
  [/needs confirmation|\bgive (?:--|-a|it|one)/i, 'confirmation required; use --yes'],
  [/must be one of: [^;`']*, got/i, 'must be one of: a, b; got "c"'],
  [/(?:look|see) at (?:the post|that first)|see the account there/i, 'check'],
  [
    /retry of the same|refuse all others|choose one of --/i,
    'retrying it unchanged; reject; cannot be combined',
  ],
  [
    /speak HTTP here|some things open|or how it begins/i,
    'does not speak HTTPS; says nothing; first characters',
  ],
  [
    /before or after its words|can count on|accepts one ID and no/i,
    'name; rely on; cannot be used in',
  ],
  [
    /closed quotes|nothing is asked\b|same (?:command|line) again does/i,
    'unclosed quote; no prompts; run it again to',
  ],
];

/** Phrases of comments and titles that only the code could explain, each with its replacement. */
const riddles: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/^(?:what|whether|who|how much|how many) /i, 'a sentence that says who does what'],
  [/^(?:The same|Of) /, 'a sentence that says who does what'],
  [/\b(?:nobody|somebody|anybody|whom|whoever)\b/i, 'say who'],
  [/\b(?:told|tells? (?:of|whether|that))\b/i, 'reports, shows, returns, true if'],
  [/\b(?:looks? at|a look\b|at looks|polls? that was had)/i, 'reads, polls, checks'],
  [/\b(?:taken?|takes?|taking) (?:something )?away\b/i, 'delete, remove, destructive'],
  [/\bunder way\b|\bgoes on\b|\bgo on\b/i, 'in progress; continues, resumes'],
  [/\b(?:left|let) alone\b|\bas it came\b|\bas (?:ever|wanted)\b/i, 'skipped; unchanged; as usual'],
  [/\bhave settled\b|\b(?:it|all|target) has settled\b|\bended badly\b/i, 'is done; failed'],
  [/\b(?:that|what) (?:is|are) none\b|\bis no (?:folder|file|list|id)\b/i, 'is not a …'],
];

describe('phrases that must not come back', () => {
  const sources = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => [`src/${file}`, textsIn(`src/${file}`).join('\n')] as const);
  const texts = [...pages, 'SKILL.md'].map((file) => [file, read(file)] as const);

  const filesOf = (folder: string, end: string) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith(end) && !file.endsWith('.d.ts'))
      .map((file) => `${folder}${file}`);
  const prose = [
    ...[...filesOf('src/', '.ts'), ...filesOf('test/', '.ts')].flatMap((file) =>
      commentsIn(file).map((text) => [file, text] as const),
    ),
    ...filesOf('test/', '.test.ts').flatMap((file) =>
      titlesIn(file).map((text) => [file, text] as const),
    ),
  ];

  it.each(retired)('%s: write “%s”', (phrase) => {
    const found = [...sources, ...texts].flatMap(([file, text]) => {
      const at = phrase.exec(text);
      return at === null
        ? []
        : [`${file}: …${text.slice(Math.max(0, at.index - 30), at.index + 50)}…`];
    });
    expect(found).toEqual([]);
  });

  it.each([...riddles, ...retired])('comments and titles of tests: %s: write “%s”', (phrase) => {
    expect(prose.filter(([, text]) => phrase.test(text)).map((found) => found.join(': '))).toEqual(
      [],
    );
  });
});
