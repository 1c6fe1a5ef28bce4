import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const script = `
import { writeSync } from 'node:fs';
import { ProcessTerminal } from ${JSON.stringify(join(import.meta.dirname, 'process-terminal.ts'))};
process.stdin.setRawMode = () => process.stdin;
const terminal = new ProcessTerminal();
terminal.start({});
process.stderr.write('from a library\\u001B[2J\\n');
process.stderr.write(Buffer.from('grün\\n'));
process.stderr.write('x'.repeat(100_000));
process.stderr.write('too late');
writeSync(2, 'while it was drawn\\n');
terminal.stop();
process.stderr.write('\\nafter it\\n');
`;

it('what other parts write to standard error is shown when the terminal is given back, as text and bounded', () => {
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const [first, second, third, long, last] = stderr.split('\n');
  expect([status, first, second, third, last]).toEqual([
    0,
    'while it was drawn',
    'from a library[2J',
    'grün',
    'after it',
  ]);
  expect(long).toMatch(/^x{100000}$/);
});
