// `help assumptions`: all that the operations take for granted, read off their data.

import { everyOperation } from '../../operations/areas.ts';

/** What is taken for granted of every operation. */
const everywhere = [
  'any 2xx is a success unless its body says error; the document shows the status of one success',
  '401 and 403 are about the token, 404 and 410 about what is not there, 429 asks to wait, any other 4xx is a refusal; the document shows no status of any error',
  'after a 5xx a change may have happened; it is not repeated unless its method allows that',
  'lengths count Unicode code points; the document names no unit',
  'Retry-After is kept to; the document shows no limits',
];

export async function assumptions(): Promise<readonly string[]> {
  const operations = await everyOperation();
  const assuming = operations.filter(({ operation }) => operation.assumes.length > 0);
  return [
    'Assumptions',
    '',
    'What the API document does not show and this tool takes for granted:',
    '',
    '  everywhere',
    ...everywhere.map((each) => `    - ${each}`),
    ...assuming.flatMap(({ operation }) => [
      '',
      `  social ${operation.command}`,
      ...operation.assumes.map((each) => `    - ${each}`),
    ]),
  ];
}
