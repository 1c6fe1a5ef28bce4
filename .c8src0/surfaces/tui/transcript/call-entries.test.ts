import { describe, expect, it } from 'vitest';
import type { Look } from '../screen/text/look.ts';
import { defaultScreenLook } from '../screen/tui-screen.ts';
import { showShell } from './call-entries.ts';
import { Transcript } from './transcript.ts';

const plain = defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
const look: Look = { ...plain, width: 60, details: 'folded', now: 0 };

function shell() {
  const transcript = new Transcript();
  const shown = showShell(transcript, 'make', 0);
  const rows = (): string => transcript.entries.flatMap((entry) => transcript.spacedRows(entry, look)).join('\n');
  return { shown, rows };
}

describe('a command of the user', () => {
  it('that prints without end keeps the end of it', () => {
    const { shown } = shell();
    for (const sign of ['a', 'b', 'c']) shown.output(sign.repeat(40 * 1024));
    expect(shown.printed()).toBe('b'.repeat(24 * 1024) + 'c'.repeat(40 * 1024));
  });

  it.each([
    ['ended well', { exitCode: 0, isInterrupted: false }, /You ran make/],
    ['failed', { exitCode: 2, isInterrupted: false }, /Your command failed \(exit 2\): make/],
    ['was ended', { isInterrupted: true }, /Your command was interrupted: make/],
    ['ended well while it was to be ended', { exitCode: 0, isInterrupted: true }, /You ran make/],
    ['failed while it was to be ended', { exitCode: 2, isInterrupted: true }, /Your command failed \(exit 2\): make/],
  ])('that %s says so', (_, ran, words) => {
    const { shown, rows } = shell();
    shown.end({ ...ran, output: 'printed', durationMs: 10 });
    expect(rows()).toMatch(words);
    expect(rows()).toContain('printed');
  });

  it('whose record was lost says so, and runs no more', () => {
    const { shown, rows } = shell();
    shown.output('some');
    shown.lost();
    expect(rows()).toMatch(/Not recorded: make[^]*some/);
    expect(rows()).not.toContain('Running');
  });

  it('that did not run has failed', () => {
    const { shown, rows } = shell();
    shown.output('some');
    shown.end(undefined);
    expect(rows()).toMatch(/Your command failed: make[^]*some/);
  });
});
