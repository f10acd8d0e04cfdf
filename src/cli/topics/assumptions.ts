// `help assumptions`: all that the operations take for granted, read off their data.

import { everyOperation } from '../../operations/areas.ts';

export async function assumptions(): Promise<readonly string[]> {
  const operations = await everyOperation();
  const assuming = operations.filter(({ operation }) => operation.assumes.length > 0);
  return [
    'Assumptions',
    '',
    'What the API document does not show and this tool takes for granted:',
    ...assuming.flatMap(({ operation }) => [
      '',
      `  social ${operation.command}`,
      ...operation.assumes.map((each) => `    ${each}`),
    ]),
  ];
}
