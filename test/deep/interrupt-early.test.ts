import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { answer, callTool } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';

it('an interrupt that comes while the sandbox is being built leaves no command behind', async () => {
  for (let run = 0; run < 8; run++) {
    const seconds = `71.${process.pid}${run}`;
    const { place } = await scene([answer({ items: [callTool('exec_command', { cmd: `sleep ${seconds}` })] })]);
    const running = place.start(['exec', '--json', 'go']);
    await running.printed('item.started');
    await new Promise((resolve) => setTimeout(resolve, run * 4));
    running.child.kill('SIGINT');
    expect((await running.finished).signal).toBe('SIGINT');
    const left = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
    expect(left.filter((line) => line.includes(`sleep ${seconds}`))).toEqual([]);
  }
});
