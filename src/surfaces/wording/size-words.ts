const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes for people: `3.4 MB`. */
export function sizeWords(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1000 && unit < units.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}
