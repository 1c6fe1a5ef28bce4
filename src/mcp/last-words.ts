/** What Node and other runtimes write around an error: frames of a stack, the rest of an object, carets, hints. */
const noise = /^(?:at |[\^~{}[\]\s]*$|Node\.js v\d|\(?Use `node |note: run with `RUST_BACKTRACE|exit status \d+$)/;
/** Node ends with its version, and shows the fields of the error before that. */
const nodesEnd = /^Node\.js v\d/;
const nodesError = /^\[?(?:Uncaught )?\w*(?:Error|Exception|Rejection)\b/;

/** The line of what a program wrote about its end that says why; empty where it wrote nothing. */
export function lastWords(errors: string): string {
  const lines = errors.split('\n').flatMap((line) => line.trim() || []);
  const byNode = nodesEnd.test(lines.at(-1) ?? '') ? lines.findLast((line) => nodesError.test(line)) : undefined;
  return byNode ?? lines.findLast((line) => !noise.test(line)) ?? lines.at(-1) ?? '';
}
