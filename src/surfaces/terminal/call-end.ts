import type { AskedOfCall, RecordedCall } from '../../state/recorded-item.ts';
import type { TextLook } from './look.ts';
import { readCallReport } from '../../state/call-report.ts';

/** How a call ended, in a word or two, and whether that is good. */
export interface CallEnd {
  readonly words: string;
  readonly look: TextLook;
}

/** Ends that are no failure of the call itself. */
const doubtful: ReadonlySet<string> = new Set(['interrupted', 'outcome unknown', 'refused']);

/** Undefined: the answer does not say. */
export function callEnd({ output, asked }: RecordedCall): CallEnd | undefined {
  if (output === undefined) return { words: waitsToBegin(asked?.at(-1)) ? 'not run' : 'not finished', look: 'yellow' };
  const { end, isFailure } = readCallReport(output.text);
  if (end === undefined) return undefined;
  return { words: end, look: doubtful.has(end) ? 'yellow' : isFailure ? 'red' : 'dim' };
}

/** The other questions come up while a call runs, or after its first try. */
function waitsToBegin(newest: AskedOfCall | undefined): boolean {
  return newest !== undefined && newest.answer === undefined && newest.kind !== 'network' && newest.kind !== 'retry';
}
