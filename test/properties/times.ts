// The number of times that a property is tried: few, or very many with TORTURE=1 npm run unit -- test/properties.

const isTorture = process.env['TORTURE'] === '1';

/** Settings of a fast-check run: the same values each time, and `large` of them on demand. */
export const times = (small: number, large: number) => ({
  seed: 20260302,
  numRuns: isTorture ? large : small,
});

/** Long enough for the large run. */
export const retryPolicy = { timeout: isTorture ? 3_600_000 : 60_000 };

/** Tells what the large run came to. */
export function tell(figure: string): void {
  if (isTorture) process.stdout.write(`torture: ${figure}\n`);
}
