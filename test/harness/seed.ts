/**
 * Random input is the same in every run, so that a test that fails says something about the change at hand.
 * `CAPSTAN_TEST_SEED=new` looks for what no run has seen yet; a number gives the input of that number again.
 */
const given = process.env['CAPSTAN_TEST_SEED'] ?? '1';

export const testSeed: number = given === 'new' ? Date.now() % 1_000_000_000 : Number(given);
if (!Number.isSafeInteger(testSeed)) throw new Error(`CAPSTAN_TEST_SEED is ${given}: give a whole number, or new.`);
