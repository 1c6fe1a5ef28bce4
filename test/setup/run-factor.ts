declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Random suites make `their number * inject('runFactor')` runs, and tables of cases show all of them where it is
     * more than 1: few in the fast tests, many in the deep ones.
     */
    readonly runFactor: number;
  }
}

/** `CAPSTAN_TEST_RUNS` gives another factor, for a long look. */
export function runFactor(usual: number): number {
  const given = process.env['CAPSTAN_TEST_RUNS'];
  const factor = given === undefined ? usual : Number(given);
  if (!Number.isSafeInteger(factor) || factor < 1) {
    throw new Error(`CAPSTAN_TEST_RUNS is ${given}: give a whole number, 1 or more.`);
  }
  return factor;
}
