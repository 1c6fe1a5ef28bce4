import { closeSync, constants, fstatSync, openSync } from 'node:fs';

/** Both ends of a pipe, as descriptors that no other process has. */
export interface PipeEnds {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/**
 * Opens both ends, the reader first and without waiting, so that neither call blocks; the writer without that flag,
 * because children share it. `toWrite` names the pipe for
 * its writer when the reader has the descriptor. Throws unless both got the same pipe of this user: a name may have been swapped, and bytes
 * of a command must never reach a file.
 */
export function openBothEnds(
  { toRead, toWrite }: { readonly toRead: string; toWrite(readEnd: number): string },
  flags: number,
): PipeEnds {
  const readEnd = openSync(toRead, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  let writeEnd: number | undefined;
  try {
    const pipe = requirePipe(readEnd);
    writeEnd = openSync(toWrite(readEnd), constants.O_WRONLY | flags);
    const other = requirePipe(writeEnd);
    if (pipe.dev !== other.dev || pipe.ino !== other.ino) throw new Error('The ends belong to two pipes.');
    return { readEnd, writeEnd };
  } catch (error) {
    closeSync(readEnd);
    if (writeEnd !== undefined) closeSync(writeEnd);
    throw error;
  }
}

function requirePipe(descriptor: number): { readonly dev: bigint; readonly ino: bigint } {
  const found = fstatSync(descriptor, { bigint: true });
  if (!found.isFIFO() || found.uid !== BigInt(process.getuid?.() ?? -1)) throw new Error('This is no pipe of ours.');
  return found;
}

/** All of them or none: when one cannot be opened, those before it are closed. */
export function openAll(pipes: readonly (() => PipeEnds)[]): readonly PipeEnds[] {
  const opened: PipeEnds[] = [];
  try {
    for (const open of pipes) opened.push(open());
    return opened;
  } catch (error) {
    for (const { readEnd, writeEnd } of opened) {
      closeSync(readEnd);
      closeSync(writeEnd);
    }
    throw error;
  }
}
