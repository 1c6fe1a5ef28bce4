/** For `-c` of commands: a key that Capstan does not know is a warning, because it may be one of another program. */
export function commandLineOverrides(given: readonly string[]) {
  return given.map((written) => ({ written, foreign: true as const }));
}
