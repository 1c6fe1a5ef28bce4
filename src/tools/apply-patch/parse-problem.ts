import { defined } from '../../protocol/defined.ts';

/** What is wrong with the text of a patch. `line` counts from 1; without it the whole is meant. */
export interface ParseProblem {
  readonly kind: 'problem';
  readonly message: string;
  readonly line?: number;
}

export function emptyChunk(number: number): ParseProblem {
  return problem('Update hunk does not contain any lines', number);
}

export function unexpectedLine(line: string, number: number): ParseProblem {
  const marks = "' ' (context line), '+' (added line), or '-' (removed line)";
  return problem(`Unexpected line found in update hunk: '${line}'. Every line should start with ${marks}`, number);
}

export function expectedAnchor(line: string, number: number): ParseProblem {
  return problem(`Expected update hunk to start with a @@ context marker, got: '${line}'`, number);
}

export function problem(message: string, line?: number): ParseProblem {
  return { kind: 'problem', message, ...defined({ line }) };
}
