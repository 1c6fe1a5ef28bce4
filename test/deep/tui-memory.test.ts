import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { requireTmux, TmuxShell } from '../harness/tmux.ts';

const isLinux = process.platform === 'linux';

describe('the process behind a conversation', () => {
  beforeAll(requireTmux);

  it.runIf(isLinux)('keeps its memory small in a long answer', async () => {
    const lines = Array.from({ length: 3000 }, (_, at) => `Line ${at} of **many**, with \`code\` in it.`);
    const { place } = await scene([answer({ items: [say(`${lines.join('\n\n')}\n\nThe end.`)], deltas: true })]);
    const shell = new TmuxShell(place, 100, 40);
    shell.start();
    await shell.sees('Context 100% left');
    shell.type('Talk.');
    await shell.sees('› Talk.', 'screen');
    shell.press('Enter');
    await shell.sees(/The end\.\n\n {2}Worked for/);
    const [, peakKb = ''] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${shell.child()}/status`, 'utf8')) ?? [];
    expect(Number(peakKb) / 1024).toBeGreaterThan(30);
    // The bench holds 150 on a quiet machine; on a busy one V8 collects later, and about 165 were seen.
    expect(Number(peakKb) / 1024).toBeLessThan(200);
  });
});
