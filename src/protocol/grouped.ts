/** A number for people: `1,234,567`. */
export function grouped(number: number): string {
  return String(Math.round(number)).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}
