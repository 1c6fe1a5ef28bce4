/** The part of an output that was too long to be kept. */
export interface OmittedOutput {
  readonly bytes: number;
  /** Absent in older files, which do not say it, and where it is all of one line. */
  readonly lines?: number;
}

/** The line that stands in its place. */
export function omittedLine({ bytes, lines = 0 }: OmittedOutput): string {
  const counted = lines === 0 ? '' : ` in ${lines} ${lines === 1 ? 'line' : 'lines'}`;
  return `... ${bytes} bytes${counted} omitted ...`;
}

const form = /^\.\.\. (\d{1,15}) bytes(?: in (\d{1,15}) lines?)? omitted \.\.\.$/;
const anywhere = new RegExp(form.source, 'gm');

/** Undefined: it is a line of the output. */
export function readOmittedLine(line: string): OmittedOutput | undefined {
  const [, bytes, lines] = form.exec(line) ?? [];
  if (bytes === undefined) return undefined;
  return { bytes: Number(bytes), ...(lines === undefined ? {} : { lines: Number(lines) }) };
}

/** All that is missing in a text. Undefined: nothing is. */
export function omittedIn(text: string): Required<OmittedOutput> | undefined {
  const found = (text.match(anywhere) ?? []).map((line) => readOmittedLine(line)!);
  if (found.length === 0) return undefined;
  return found.reduce<Required<OmittedOutput>>(
    (sum, { bytes, lines = 0 }) => ({ bytes: sum.bytes + bytes, lines: sum.lines + lines }),
    { bytes: 0, lines: 0 },
  );
}
