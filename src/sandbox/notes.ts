// Lines about refused requests, at most a few a second: a broken client must not drown the terminal.

const LINES_A_SECOND = 5;
const LONGEST_PATH = 120;

/** A function that notes a refused request; `now` in milliseconds since 1970. Shows no query and no header. */
export function createNotes(note: (line: string) => void, now: () => number) {
  let window = { second: 0, lines: 0, dropped: 0 };
  return (method: string, target: string, reason: string): void => {
    const second = Math.floor(now() / 1000);
    if (second !== window.second) {
      if (window.dropped > 0) note(`sandbox: refused ${window.dropped} more requests`);
      window = { second, lines: 0, dropped: 0 };
    }
    if (window.lines++ < LINES_A_SECOND)
      note(`sandbox: refused ${method} ${shown(target)} (${reason})`);
    else window.dropped++;
  };
}

function shown(target: string): string {
  const [path = ''] = target.split('?');
  const plain = path.replace(/[^\x21-\x7e]/g, '?');
  return plain.length > LONGEST_PATH ? `${plain.slice(0, LONGEST_PATH)}…` : plain;
}
