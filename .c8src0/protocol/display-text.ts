export interface OmittedOutput {
  readonly bytes: number;
  /** Absent in older files, and where all of it is from one line. */
  readonly lines?: number;
}

/** The line that replaces omitted output. */
export function formatOmittedLine({ bytes, lines = 0 }: OmittedOutput): string {
  const counted = lines === 0 ? '' : ` in ${lines} ${lines === 1 ? 'line' : 'lines'}`;
  return `... ${bytes} bytes${counted} omitted ...`;
}

const form = /^\.\.\. (\d{1,15}) bytes(?: in (\d{1,15}) lines?)? omitted \.\.\.$/;
const anywhere = new RegExp(form.source, 'gm');

/** Undefined if the line is ordinary output. */
export function parseOmittedLine(line: string): OmittedOutput | undefined {
  const [, bytes, lines] = form.exec(line) ?? [];
  if (bytes === undefined) return undefined;
  return { bytes: Number(bytes), ...(lines === undefined ? {} : { lines: Number(lines) }) };
}

export function countOmittedOutput(text: string): Required<OmittedOutput> | undefined {
  const found = (text.match(anywhere) ?? []).map((line) => parseOmittedLine(line)!);
  if (found.length === 0) return undefined;
  return found.reduce<Required<OmittedOutput>>(
    (sum, { bytes, lines = 0 }) => ({ bytes: sum.bytes + bytes, lines: sum.lines + lines }),
    { bytes: 0, lines: 0 },
  );
}

/** Any value can be thrown, even one that cannot be converted to text. */
export function thrownMessage(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return 'it threw something that is not an error.';
  }
}

/** For display: whole seconds, and whole minutes from two on. Rounded up. */
export function formatWaitTime(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const [amount, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
