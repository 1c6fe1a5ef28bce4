/** How long to wait, for people: whole seconds, and whole minutes from two on. Never less than is meant. */
export function waitWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const [amount, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
