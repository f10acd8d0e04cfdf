// `help output`: the forms of a result and the promises about the two streams.

export function output(): readonly string[] {
  return [
    'Output',
    '',
    'stdout carries the result and nothing else; notes, questions and errors go to stderr.',
    '',
    '  -o table   for reading; fitted to the terminal, blocks of fields below 60 columns',
    '  -o tsv     for pipes: the same rows, no heading, nothing cut; what is absent is -',
    '  --json     the service’s data, unchanged: one document, one line in a pipe',
    '  -o ndjson  one JSON value a line: the items where the result is a list',
    '',
    'Without a choice a terminal gets a table and a pipe gets TSV.',
    '--fields status,targets.id picks fields by their path, in every form.',
    '--jq <expression> puts the JSON through jq: the same as --json | jq -r, without jq. A string is',
    'printed as it is, all else as JSON, a result a line. An expression that does not compile sends',
    'nothing (exit 2); one that does not fit the data ends with 13. Errors stay text unless --json.',
    'Several ids with --json give one line each: {"line","input","ok","exitCode","data"|"error"}.',
    'A failure leaves stdout empty; with --json the last line of stderr is one object:',
    '  {"ok":false,"error":{"code","message","details","status","sent","outcome",',
    '   "retryable","hint","next","exitCode"}}',
  ];
}
