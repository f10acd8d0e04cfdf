// `help batch`: the forms of a list, and what a journal promises.

export function batch(): readonly string[] {
  return [
    'Batches',
    '',
    'Every command of the service takes --from <file>, or - for standard input: a record a line.',
    '',
    '  PostSpringLaunch                                        an id, the first argument',
    '  {"postId":"PostSpringLaunch","targetIds":["…"]}         a JSON object of inputs',
    '  postId,target                                           or CSV with a header; lists with ;',
    '',
    'Which it is, the first line of data says. Blank lines and # comments are skipped, repeats are done',
    'once, flags fill in what a record leaves out. All records are checked before the first is sent.',
    '',
    '  --concurrency 8        requests under way at once, 1 to 32',
    '  --rate 10/s, 90/m      requests a second or minute',
    '  --fail-fast, --max-failures n    start nothing more; what is under way finishes',
    '  --failures-to f        what failed or was not started, for another --from',
    '  --shard 2/8            only this part of the list, for machines side by side',
    '',
    'With --journal each change is written down, durably, before it leaves. The same line again does what',
    'is left: nothing that was done, and nothing of which the outcome is unknown, unless --retry-unknown.',
    '--journal auto keeps it with the state; it goes away when everything is done.',
    '',
    'Results come as they finish; --json gives a line each:',
    '  {"line","input","ok","exitCode","data"|"error"}',
    'Exit: 0 all done, 11 some failed, 12 nothing worse than unknown, 4 the token was refused.',
    'Ctrl-C starts nothing more and waits up to 10 s for what is under way; a second one ends at once.',
  ];
}
