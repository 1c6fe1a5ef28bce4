/** Text as programs print it. The same seed gives the same text. */

/** The output of a test runner, about fifteen tokens a line. */
export function testLog(seed: number, lines: number): string {
  const next = numbers(seed);
  const subjects = ['parser', 'router', 'session', 'cache', 'queue', 'ledger', 'mailer', 'upload'];
  const verbs = ['reads', 'keeps', 'drops', 'retries', 'rejects', 'orders', 'merges', 'escapes'];
  const things = ['an empty header', 'two dates', 'a late answer', 'a long name', 'half a row', 'a second copy'];
  return Array.from({ length: lines }, (_, n) => {
    const [subject, verb, thing] = [pick(subjects, next), pick(verbs, next), pick(things, next)];
    return `ok ${n + 1} - ${subject} ${verb} ${thing} (${next(400)} ms)`;
  }).join('\n');
}

/** Code, about twelve tokens a line. */
export function codeText(seed: number, lines: number): string {
  const next = numbers(seed);
  const names = ['entry', 'amount', 'until', 'owner', 'batch', 'offset', 'region', 'retry', 'token', 'limit'];
  return Array.from({ length: lines }, () => {
    const [left, right] = [pick(names, next), pick(names, next)];
    const indent = '  '.repeat(next(3));
    return next(3) === 0
      ? `${indent}if (${left} > ${right}.${pick(names, next)}) return undefined;`
      : `${indent}const ${left}${next(100)} = ${right}.${pick(names, next)}(${next(5000)});`;
  }).join('\n');
}

/** A log of a service, about twenty tokens a line. */
export function serverLog(seed: number, lines: number): string {
  const next = numbers(seed);
  const routes = ['/login', '/cart', '/orders', '/health', '/profile', '/search'];
  return Array.from({ length: lines }, (_, n) => {
    const time = `${String(8 + Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}:00`;
    return `${time} info request=${next(1_000_000)} route=${pick(routes, next)} status=200 ms=${next(900)}`;
  }).join('\n');
}

function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function pick(list: readonly string[], next: (below: number) => number): string {
  return list[next(list.length)]!;
}
