import { type MarkId, marks, terminalMarks } from './report/marks.ts';

export interface BenchOptions {
  readonly effort: 'full' | 'quick';
  /** Empty means all. */
  readonly only: readonly MarkId[];
  /** The file that all measurements are written to. */
  readonly json?: string;
}

export const usage = `Usage: npm run bench -- [options]

  --quick        few repetitions and short turns: minutes instead of a quarter of an hour
  --only MARK    this mark only; may be repeated
  --json FILE    write every sample to FILE

Marks: terminal (all of terminal-…), ${marks.map(({ id }) => id).join(', ')}
`;

/** A string says what is wrong. */
export function parseOptions(words: readonly string[]): BenchOptions | string {
  let options: BenchOptions = { effort: 'full', only: [] };
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--quick') options = { ...options, effort: 'quick' };
    else if (word === '--json') {
      const json = rest.shift();
      if (json === undefined) return '--json needs a file.';
      options = { ...options, json };
    } else if (word === '--only') {
      const name = rest.shift();
      const found = name === 'terminal' ? terminalMarks : marks.flatMap(({ id }) => (id === name ? [id] : []));
      if (found.length === 0) return `There is no mark ${name ?? ''}.`;
      options = { ...options, only: [...options.only, ...found] };
    } else return `There is no option ${word}.`;
  }
  return options;
}
