const units = ['', 'K', 'M', 'B', 'T'] as const;

/** `950`, `2.81K`, `50.1K`, `258K`, `1.2M`. */
export function compactNumber(number: number): string {
  let [value, unit] = [Math.max(0, number), 0];
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  if (unit === 0) return String(Math.round(value));
  const digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return `${Number(value.toFixed(digits))}${units[unit]}`;
}
