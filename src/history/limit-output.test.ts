import { describe, expect, it } from 'vitest';
import { commandOutput } from '../fragments/command-output.ts';
import { byteLength } from '../fragments/truncate.ts';
import { limitOutput } from './limit-output.ts';

const report = (output: string) => ({ seconds: 0.25, end: { kind: 'exited', exitCode: 0 } as const, output });

describe('limitOutput', () => {
  it('cuts what a tool did not cut', () => {
    const cut = limitOutput('x'.repeat(100_000), { mode: 'bytes', limit: 10_000 });
    expect(byteLength(cut)).toBeLessThan(12_100);
    expect(cut).toContain('chars truncated');
  });

  it.each([
    { mode: 'bytes', limit: 10_000 },
    { mode: 'tokens', limit: 2_500 },
  ] as const)('does not cut again what a command has cut already ($mode)', (budget) => {
    const output = commandOutput(report('line of output\n'.repeat(10_000)), budget);
    expect(limitOutput(output, budget)).toBe(output);
    expect(output.match(/truncated…/g)).toHaveLength(1);
    expect(output).toContain('Warning: truncated output (original token count: 37500)\nTotal output lines: 10001\n');
  });

  it('leaves short output alone', () => {
    expect(commandOutput(report('ok\n'), { mode: 'bytes', limit: 100 })).toBe(
      'Wall time: 0.2500 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nok\n',
    );
  });
});
