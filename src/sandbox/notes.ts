// Lines about refused requests, at most a few a second: a broken client must not drown the terminal.

const LINES_A_SECOND = 5;
const LONGEST_PATH = 120;

/** A function that notes what was refused, as method and path; `now` in milliseconds since 1970. Shows no query and no header. */
export function createNotes(note: (line: string) => void, now: () => number) {
  let window = { second: 0, lines: 0, dropped: 0 };
  return (what: string, reason: string): void => {
    const second = Math.floor(now() / 1000);
    if (second !== window.second) {
      if (window.dropped > 0) note(`sandbox: refused ${window.dropped} more requests`);
      window = { second, lines: 0, dropped: 0 };
    }
    if (window.lines++ < LINES_A_SECOND) note(`sandbox: refused ${shown(what)} (${reason})`);
    else window.dropped++;
  };
}

function shown(what: string): string {
  const [path = ''] = what.split('?');
  const plain = path.replace(/[^\x20-\x7e]/g, '?');
  return plain.length > LONGEST_PATH ? `${plain.slice(0, LONGEST_PATH)}…` : plain;
}
