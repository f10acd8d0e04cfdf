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
    '',
    '  --fields      status,targets.id picks fields by their path, in every form',
    '  --jq          puts the JSON through jq: the same as --json | jq -r, without jq. A string is printed as it is, all else as JSON, a result a line. An expression that does not compile sends nothing (exit 2); one that does not fit the data ends with 13. Errors stay text unless --json',
    '  --utc         exact times in a table instead of relative ones; a pipe gets them as they were sent',
    '  --color       auto, always or never; NO_COLOR wins. A colour never stands alone: a word and a sign say the same',
    '  --accessible  plain lines instead of tables',
    '  -q            keeps notes and warnings back',
    '',
    'Text of the service is shown without control characters and escape sequences; JSON has it whole, escaped, and every number with its own digits. What the API document does not list is shown as it came.',
    '',
    'Several ids with --json give one line each: {"line","input","ok","exitCode","data"|"error"}.',
    '',
    'A failure leaves stdout empty, but for a wait that ended badly: that shows the last state. With --json the last line of stderr is one object:',
    '',
    '  {"ok":false,"error":{"code","message","details","status","sent","outcome",',
    '   "retryable","hint","next","exitCode"}}',
  ];
}
