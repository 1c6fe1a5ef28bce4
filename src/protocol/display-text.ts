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
  return bytes === undefined ? undefined : { bytes: Number(bytes), lines: lines === undefined ? lines : Number(lines) };
}

export function countOmittedOutput(text: string): Required<OmittedOutput> | undefined {
  const found = (text.match(anywhere) ?? []).map((line) => parseOmittedLine(line)!);
  const sum = (name: keyof OmittedOutput): number => found.reduce((all, each) => all + (each[name] ?? 0), 0);
  return found.length === 0 ? undefined : { bytes: sum('bytes'), lines: sum('lines') };
}

/** Any value can be thrown, even one that cannot be converted to text. */
export function messageOfThrown(error: unknown): string {
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
