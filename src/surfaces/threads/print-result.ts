import { print } from '../terminal/print.ts';

/** As one line of JSON for programs, else in words for people. Gives the exit code. */
export function printResult(result: object, { json }: { readonly json: boolean }, words: () => string): number {
  if (json) print(`${JSON.stringify(result)}\n`, 'json');
  else print(words(), 'text');
  return 0;
}
