import type { ReadScript } from '../../protocol/read-script.ts';
import { secondReading } from './second-reading.ts';
import { withoutEmptyStatements, writtenScript, type WrittenPiece } from './written-script.ts';

/** The pieces of a script that the grammar and the rules of quoting read alike. Undefined: what it does is not sure. */
export function readTwice(script: string, read: ReadScript): readonly WrittenPiece[] | undefined {
  const pieces = writtenScript(read);
  if (pieces === undefined) return undefined;
  const second = secondReading(script);
  if (!second.isSure) return undefined;
  return JSON.stringify(pieces) === JSON.stringify(withoutEmptyStatements(second.pieces)) ? pieces : undefined;
}
