// Processor time of this process: unlike the time on the wall, it does not grow when others use the machine.

/** Starts to count, and returns a function that returns the milliseconds used since. */
export function cpuTimer(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
