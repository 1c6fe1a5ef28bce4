import type { Outcome } from '../../protocol/outcome.ts';

/** From here on no reader ends the process by closing the other end of its output: a turn continues to a clean end. */
export function outlastReaders() {
  let lost: Error | undefined;
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') lost ??= error;
  });
  return {
    /** Everything is written, or why it could not be. A reader that left is no reason: it had what it wanted. */
    async finish(): Promise<Outcome<'output-lost'> | undefined> {
      await new Promise<void>((written) => process.stdout.write('', () => written()));
      // The error of a write is reported one tick after its end.
      await new Promise(setImmediate);
      if (lost === undefined) return undefined;
      const message = `Standard output could not be written, and a part of it is missing: ${lost.message}.`;
      return { code: 'output-lost', message, next: 'Free some space where it is written.' };
    },
  };
}
