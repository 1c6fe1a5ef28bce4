/** Shows how far a long work is, on a terminal, and leaves nothing behind. Elsewhere it stays silent. */
export function progressBar(
  label: string,
  stream: { readonly isTTY?: boolean; write(text: string): unknown } = process.stderr,
): { show(done: number, total: number): void; end(): void } {
  let shown = '';
  return {
    show(done, total) {
      if (stream.isTTY !== true) return;
      const width = 30;
      const filled = total === 0 ? width : Math.floor((done / total) * width);
      const next = `${label} [${'#'.repeat(filled)}${' '.repeat(width - filled)}] ${done}/${total}`;
      if (next === shown) return;
      shown = next;
      stream.write(`\r\u001B[K${next}`);
    },
    end() {
      if (shown !== '') stream.write('\r\u001B[K');
      shown = '';
    },
  };
}
