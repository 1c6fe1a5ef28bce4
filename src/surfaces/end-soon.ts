/** A person who presses Ctrl-C waits no longer than a second. */
const longestEndMs = 950;

/**
 * Called when the program was told to end, before anything is ended in good order. What is not over in time is left as
 * it is: a reader that does not read, a disk that does not answer. Commands die with the program, and the next start
 * finishes the turn.
 */
export function endSoon(): void {
  setTimeout(() => process.exit(process.exitCode ?? 1), longestEndMs).unref();
}
