import { closeSync, constants, existsSync, openSync, write } from 'node:fs';
import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { ReadStream } from 'node:tty';
import { errorCode } from '../disk/file-system.ts';
import type { TerminalSize } from '../../ports/commands.ts';
import { inheritedDescriptors } from './child-process.ts';

export type PseudoTerminal = NonNullable<ReturnType<typeof openPseudoTerminal>>;

interface PtyLibrary {
  open(columns: number, rows: number): { readonly master: number; readonly slave: number; readonly pty: string };
  resize(master: number, columns: number, rows: number): void;
}

const firstSize: TerminalSize = { columns: 80, rows: 24 };
const retryMs = 20;

/** `library` is loaded by its path: a search would also find files that commands may have put there. */
export function openPseudoTerminal(library: string) {
  if (!existsSync(library)) return undefined;
  const pty = createRequire(library)(library) as PtyLibrary;
  const { master, slave, pty: name } = pty.open(firstSize.columns, firstSize.rows);
  // The library's own descriptor is inherited by every child, and non-blocking.
  closeSync(slave);
  const shut = inheritedDescriptors().add(master);
  let commandEnd = openSync(name, constants.O_RDWR | constants.O_NOCTTY);
  const output = new ReadStream(master);
  let isClosed = false;
  const releaseCommandEnd = (): void => {
    if (commandEnd >= 0) closeSync(commandEnd);
    commandEnd = -1;
  };
  return {
    commandEnd,
    /** Close our copy of the command's end, or the output would never end. */
    handedOver: releaseCommandEnd,
    output,
    input: inputOf(master, () => isClosed),
    resize({ columns, rows }: TerminalSize): void {
      if (!isClosed) pty.resize(master, columns, rows);
    },
    close(): void {
      if (isClosed) return;
      isClosed = true;
      releaseCommandEnd();
      // The stream closes the descriptor, whose number may be reused from then on.
      output.once('close', shut);
      output.destroy();
    },
  };
}

/** Writes separately from the reading stream and without blocking: a command that does not read must not stop us. */
function inputOf(master: number, isClosed: () => boolean): Writable {
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      const attempt = (rest: Uint8Array): void => {
        if (isClosed()) return done();
        write(master, rest, (error, count) => {
          if (errorCode(error) === 'EAGAIN') setTimeout(attempt, retryMs, rest).unref();
          else if (error !== null) done(error);
          else if (count < rest.length) attempt(rest.subarray(count));
          else done();
        });
      };
      attempt(chunk);
    },
  });
}
