/** Shows or hides the cursor where that is a change. `had` undefined: not known. */
export function cursorSight(had: boolean | undefined, has: boolean): string {
  if (had === has) return '';
  return has ? '\u001B[?25h' : '\u001B[?25l';
}
