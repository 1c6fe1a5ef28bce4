/** `<1s`, `59s`, `1m 00s`, `1h 01m 01s`. */
export function elapsedWords(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 1) return '<1s';
  if (seconds < 60) return `${seconds}s`;
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m ${two(seconds % 60)}s`;
}

/** The same with parts of a second: `15ms`, `2.1s`. */
export function spentWords(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)}ms`;
  return milliseconds < 60_000 ? `${(milliseconds / 1000).toFixed(1)}s` : elapsedWords(milliseconds);
}
