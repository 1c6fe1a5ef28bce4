// oxlint-disable-next-line no-control-regex -- our own styles
const sequence = /\u001B\[[\d;]*m/g;

/** A drawn row without its styles. */
export function plainRow(row: string): string {
  return row.includes('\u001B') ? row.replaceAll(sequence, '') : row;
}

/** A range of a drawn row, counted without its styles. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** A drawn row with ranges of it in reverse. Ranges are in order and apart from each other. */
export function markRow(row: string, ranges: readonly RowRange[]): string {
  let [out, at, index, isOn] = ['', 0, 0, false];
  const turn = (on: boolean): void => {
    out += on ? '\u001B[7m' : '\u001B[27m';
    isOn = on;
  };
  for (const part of row.split(/(\u001B\[[\d;]*m)/)) {
    if (part.startsWith('\u001B')) {
      out += part;
      // A style may have taken it away.
      if (isOn) out += '\u001B[7m';
      continue;
    }
    for (let done = 0; done < part.length;) {
      const range = ranges[index];
      if (range === undefined) {
        out += part.slice(done);
        at += part.length - done;
        break;
      }
      const edge = isOn ? range.to : range.from;
      const end = Math.min(part.length, done + Math.max(0, edge - at));
      out += part.slice(done, end);
      at += end - done;
      done = end;
      if (at < edge) break;
      turn(!isOn);
      if (!isOn) index += 1;
    }
  }
  return isOn ? `${out}\u001B[27m` : out;
}
