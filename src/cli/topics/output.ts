// `help output`: the forms of a result and the promises about the two streams.

export function output(): readonly string[] {
  return [
    'Output',
    '',
    'stdout carries the result and nothing else; notes, questions and errors go to stderr.',
    '',
    '  -o table   for reading; fitted to the terminal, blocks of fields below 60 columns',
    '  -o tsv     for pipes: the rows of the table, all their columns, no heading, nothing cut',
    '  --json     the service’s data, unchanged: one document, one line in a pipe',
    '  -o ndjson  one JSON value a line: the items where the result is a list',
    '',
    'Without a choice a terminal gets a table and a pipe gets TSV.',
    'In TSV a list is a line a row, and what stands above its table is left out; one thing is one line',
    'with all its fields. Each field keeps its place, what is absent is -, so a script may count:',
    '  social posts get PostSpringLaunch | cut -f1,2        platform and status of each target',
    '  social posts retry PostSpringLaunch | cut -f1,2      the same, after a retry',
    '--fields status,targets.id picks fields by their path, in every form.',
    'Several ids with --json give one line each: {"line","input","ok","exitCode","data"|"error"}.',
    'A failure leaves stdout empty; with --json the last line of stderr is one object:',
    '  {"ok":false,"error":{"code","message","details","status","sent","outcome",',
    '   "retryable","hint","next","exitCode"}}',
  ];
}
