export function clockTime(milliseconds: number): string {
  const at = new Date(milliseconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [String(at.getFullYear()), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Local time of a line's timestamp; an invalid one is returned unchanged. */
export function clockTimeOf(timestamp: string): string {
  const milliseconds = Date.parse(timestamp);
  return Number.isNaN(milliseconds) ? timestamp : clockTime(milliseconds);
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000] as const;

/** `just now`, `3 min ago`, `5 h ago`; clock time for the future or more than a day ago. */
export function agoWords(milliseconds: number, now: number): string {
  const age = now - milliseconds;
  if (age < 0 || age >= dayMs) return clockTime(milliseconds);
  if (age < minuteMs) return 'just now';
  return age < hourMs ? `${Math.floor(age / minuteMs)} min ago` : `${Math.floor(age / hourMs)} h ago`;
}
