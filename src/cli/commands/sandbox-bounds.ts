// The numbers that `sandbox serve` takes.

export const PORTS = { minimum: 0, maximum: 65_535 };

export const SEEDS = { minimum: 0, maximum: 999_999_999 };
