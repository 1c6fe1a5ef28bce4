import type { ReadScript } from '../../protocol/read-script.ts';
import { secondReadings } from './second-reading.ts';
import type { ShellCall } from './shell-call.ts';
import { withoutEmptyStatements, writtenScript, type WrittenPiece } from './written-script.ts';

/** The pieces of a script that the grammar and the rules of quoting read alike. Undefined: what it does is not sure. */
export function readTwice(
  script: string,
  read: ReadScript,
  shell: ShellCall['shell'],
): readonly WrittenPiece[] | undefined {
  const pieces = writtenScript(read);
  if (pieces === undefined) return undefined;
  const text = JSON.stringify(pieces);
  const agrees = secondReadings(script, shell).every(
    (second) => second.isSure && JSON.stringify(withoutEmptyStatements(second.pieces)) === text,
  );
  return agrees ? pieces : undefined;
}
