import type { RecordedCall } from '../../state/recorded-item.ts';
import type { Look } from '../terminal/look.ts';

/** How a call ended, in a word or two, and whether that is good. */
export interface CallEnd {
  readonly words: string;
  readonly look: Look;
}

/** What the first lines of an answer say about its end, in the forms of all programs. */
const ends: readonly (readonly [RegExp, (found: string) => CallEnd])[] = [
  [/^(?:Wall time: .*\n|Chunk ID: .*\n)*Process exited with code (-?\d+)/, exited],
  [/^(?:Wall time: .*\n|Chunk ID: .*\n)*Process killed after its time limit/, () => bad('timed out')],
  [/^(?:Wall time: .*\n)?Process killed: aborted/, () => doubtful('interrupted')],
  [/^Exit code: (-?\d+)/, exited],
  [/^\{"output":.*"exit_code":(-?\d+)/s, exited],
  [/^apply_patch verification failed/, () => bad('failed')],
  [/^(?:patch rejected|Not run):/, () => doubtful('refused')],
  [/^aborted/, () => doubtful('interrupted')],
  [/^Outcome unknown/, () => doubtful('outcome unknown')],
];

/** Undefined: the answer does not say. */
export function callEnd({ output }: RecordedCall): CallEnd | undefined {
  if (output === undefined) return doubtful('no answer');
  for (const [pattern, end] of ends) {
    const found = pattern.exec(output.text);
    if (found !== null) return end(found[1] ?? '');
  }
  return undefined;
}

function exited(code: string): CallEnd {
  return { words: `exit ${code}`, look: code === '0' ? 'dim' : 'red' };
}

function bad(words: string): CallEnd {
  return { words, look: 'red' };
}

function doubtful(words: string): CallEnd {
  return { words, look: 'yellow' };
}
