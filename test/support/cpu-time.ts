// Processor time of this process: unlike the time on the wall, it does not grow when others use the machine.

/** Starts to count; the function that is returned says how many milliseconds have been used since. */
export function cpuTimer(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
