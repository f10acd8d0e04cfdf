// Tells a history on a few lines: its service, its runs, and under each what was asked and answered.

/** Letters for the targets of a history: A, B, C… */
function namesOf(posts) {
  const names = new Map();
  for (const { id, targets } of posts.values()) {
    names.set(id, `P${[...names.values()].filter((name) => name.startsWith('P')).length + 1}`);
    for (const target of targets) names.set(target.id, String.fromCodePoint(65 + names.size - 1));
  }
  return names;
}

const inSeconds = (ms) => `${(ms / 1000).toFixed(1)}s`;

export function tell({ number, service, habits, runs, faults }) {
  const names = namesOf(service.posts);
  const short = (text) =>
    String(text).replace(/\b(?:Post|Target)\w+/g, (id) => names.get(id) ?? id);
  const isSet = ([, value]) => value !== 0 && value !== false;
  const lines = [
    `seed ${number}: ${[...new Set(faults.map(([kind]) => kind))].join(', ')}`,
    `  service: ${Object.entries(habits)
      .filter(isSet)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`,
  ];
  for (const { id, targets } of service.posts.values())
    lines.push(`  ${short(id)}: ${targets.map((target) => short(tellTarget(target))).join(', ')}`);
  const start = runs[0]?.at ?? 0;
  for (const run of runs) {
    const records =
      run.records === undefined ? '' : `  [${short(run.records.map(tellRecord).join(' | '))}]`;
    lines.push(
      `  ${run.number}. +${inSeconds(run.at - start)} social ${short(run.argv.join(' '))}${records}`,
    );
    // A poll that shows what the one before has shown is left out.
    const shown = new Map();
    for (const entry of service.log.filter((one) => one.run === run)) {
      const line = short(tellEntry(entry));
      const isNews = shown.get(entry.post) !== line;
      shown.set(entry.post, line);
      if (isNews) lines.push(`       +${inSeconds(entry.at - start)} ${line}`);
    }
    const said = run.said.stderr.trim().split('\n').at(-1) ?? '';
    const ends = run.signal === undefined ? '' : ` (${run.signal} sent)`;
    lines.push(`     -> ${run.said.signal ?? run.said.code}${ends} ${short(messageIn(said))}`);
  }
  for (const [kind, what] of faults) lines.push(`  FAULT ${kind}: ${short(what)}`);
  return lines.join('\n');
}

const tellTarget = ({ id, start, failures, isTwice, publishedBy }) =>
  `${id} ${start}${isTwice ? ' listed twice' : ''}${failures > 0 ? ` fails ${failures} times more` : ''} published ${publishedBy.length}`;

const tellRecord = ({ postId, targetIds }) =>
  `${postId}${targetIds ? ` ${targetIds.join('+')}` : ''}`;

const tellRows = (rows) =>
  rows.map(({ id, status, updatedAt }) => `${id} ${status}@${updatedAt % 1e7}`).join(', ');

function tellEntry({
  kind,
  post,
  isWhole,
  ids,
  told,
  status,
  acts,
  rows,
  isCached,
  lagMs,
  answers,
  what,
}) {
  if (kind === 'request')
    return `POST ${post} ${isWhole ? '{} = ' : ''}${ids.join('+')} -> ${told} ${status ?? 'cut off'}${acts ? '' : ', not done'}`;
  if (kind === 'bad read') return `GET ${post} -> ${what}`;
  if (answers !== undefined) return `  shows ${tellRows(rows)}`;
  return `GET ${post}${isCached ? ' (cached)' : ''}${lagMs > 0 ? ` (old by ${lagMs} ms)` : ''} -> ${tellRows(rows)}`;
}

const messageIn = (line) => (line.startsWith('{') ? JSON.parse(line).error.message : line);
