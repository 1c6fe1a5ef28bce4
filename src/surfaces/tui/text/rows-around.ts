/** So many of the rows, with the one at `at` among them. */
export function rowsAround<Each>(rows: readonly Each[], at: number, most: number): readonly Each[] {
  const from = Math.max(0, Math.min(at - Math.floor(most / 2), rows.length - most));
  return rows.slice(from, from + most);
}
