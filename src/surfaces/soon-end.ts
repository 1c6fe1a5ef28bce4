/** Every wait after a signal has an end of its own, and together they take less than a second. This is for what has none. */
const longestEndMs = 3000;
/** How long a process that was told to end waits for a reader of what it has printed. */
const unreadMs = 200;

/** What a surface does with a signal that tells the program to end. */
export interface SoonEnd {
  /** To be called by the handler of the signal. A person who asks twice does not wait: the second call ends the program. */
  begin(): void;
  /** All is ended in good order, and only what was printed may still wait for its reader. */
  finish(): void;
}

/**
 * Sees to it that a program that was told to end does so. What is not over in time is left as it is: commands die with
 * the program, and resuming the thread finishes the turn.
 */
export function soonEnd(): SoonEnd {
  let begun = false;
  const exit = (): void => process.exit(process.exitCode ?? 1);
  return {
    begin() {
      if (begun) exit();
      begun = true;
      setTimeout(exit, longestEndMs).unref();
    },
    finish() {
      if (begun) setTimeout(exit, unreadMs).unref();
    },
  };
}
