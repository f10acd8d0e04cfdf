// `help scripting`: what a script may rely on, a screen of it. docs/scripting.md has the whole.

export function scripting(): readonly string[] {
  return [
    'Scripts',
    '',
    'stdout carries the result and nothing else, and stays empty where there is none. Off a terminal nothing is asked: what is missing is exit 2, and what takes something away needs --yes or --confirm <id>.',
    '',
    '  social posts get "$id" --jq .status',
    '  social posts get "$id" -o tsv --fields targets.id,targets.status',
    '  social posts retry --from ids.txt --failed --journal auto --json',
    "  social api GET /v1/queue -f limit=20 --jq '.[].id'",
    '',
    '--jq is --json | jq -r without jq: a string as it is, all else as JSON, a result a line; compiled before anything is sent. In a batch it is given the line of each item.',
    '',
    'Ask the exit code, not the text (social help exit-codes):',
    '',
    '  0        done',
    '  2, 3     nothing was sent',
    '  4, 5, 6  token; not found; refused',
    '  7, 9     too many requests; no answer: nothing has changed, do it again',
    '  8, 10    still pending; ended badly: the last state is on stdout',
    '  11       some of many failed: --failures-to, or the same --journal',
    '  12       outcome unknown: first run the command that stderr names',
    '',
    'Reads are repeated by themselves; a change that may have happened never is. --json makes an error one object on the last line of stderr.',
    '',
    'In CI, SOCIAL_BASE_URL and SOCIAL_TOKEN (or SOCIAL_TOKEN_FILE) are all it needs; SOCIAL_NO_HISTORY=1 keeps no record.',
  ];
}
