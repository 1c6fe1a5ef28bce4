import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { isAlive } from '../../src/adapters/disk/processes.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say, type ScriptStep } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { scene, textsOf, withoutSandbox } from '../harness/scene.ts';

it('exec shows agents, and the last thread is the one that the user began', async () => {
  const steps: ScriptStep[] = [
    answer({
      items: [
        callTool('spawn_agent', { message: 'TASK quick\nand more', name: 'quick', agent_type: 'worker' }),
        callTool('spawn_agent', { message: 'TASK slow', name: 'slow' }),
      ],
    }),
    answer({ items: [callTool('wait_agent', { targets: ['quick'] })] }),
    answer({ items: [say('Root is done.')] }),
    answer({ items: [say('Root again.')] }),
  ];
  const { place } = await scene(({ body }) => {
    const texts = textsOf(body['input'] as unknown as readonly JsonObject[]).map(String);
    if (texts.includes('TASK slow')) return answer({ items: [callTool('exec_command', { cmd: 'sleep 30' })] });
    if (!texts.includes('TASK quick\nand more')) return steps.shift()!;
    const hasWritten = texts.some((text) => text.includes('exited with code'));
    const write = callTool('exec_command', { cmd: 'echo hi > by-quick.txt' });
    return answer({ items: [hasWritten ? say('Quick is done.\nReally.') : write] });
  }, `${withoutSandbox}[features]\nmulti_agent = true\n`);
  const ran = await place.run('exec', '--skip-git-repo-check', 'go');
  expect(ran).toMatchObject({ code: 0, stdout: 'Root is done.\n' });
  expect(ran.stderr).toContain('agent quick (worker): TASK quick\n');
  expect(ran.stderr).toContain('started /root/slow');
  expect(ran.stderr).toContain('agent /root/quick completed: Quick is done.\n');
  expect(ran.stderr).toContain(
    '1 agent still worked when the turn ended, and was interrupted: /root/slow. Beyond the tokens above, 90 were used for that.',
  );
  const tree = await place.run('threads', 'show', '--last', '--tree');
  expect(tree.stdout).toMatch(/^\/root {2}completed, .*\n {2}quick {2}completed, .*\n {2}slow {2}interrupted, /);
  const files = await place.run('threads', 'files', '--last');
  expect(files.stdout).toMatch(/Agent \/root\/quick: Turn 1[^]*added.*by-quick\.txt/);
  expect(await place.run('exec', '--skip-git-repo-check', 'resume', '--last', 'again')).toMatchObject({
    code: 0,
    stdout: 'Root again.\n',
  });
});

it.runIf(process.platform === 'linux')('a process that ended and was not waited for is not alive', async () => {
  const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] });
  whenTestEnds(() => void parent.kill('SIGKILL'));
  const [said] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(said.toString());
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(isAlive(parent.pid!)).toBe(true);
});
