// Sets the clock of a run of the program: loaded by `node --require` before it, it moves the wall clock by
// TORTURE_CLOCK_MS. Timers and `performance.now()` stay as they are, as when a clock is set by hand, and so does the
// time at which the system was started.

const os = require('node:os');

const shiftMs = Number(process.env.TORTURE_CLOCK_MS ?? 0);
const RealDate = Date;
const now = () => RealDate.now() + shiftMs;

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [now()] : parts));
  }
  static now = now;
};

const { uptime } = os;
os.uptime = () => uptime() + shiftMs / 1000;
