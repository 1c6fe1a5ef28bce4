import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findLandlock } from '../../src/adapters/sandbox/linux/landlock-library.ts';
import { leastLandlockAbi } from '../../src/adapters/sandbox/sandbox-route.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { containers } from '../harness/container.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';

// test/deep/containers.test.ts has both containers, and all that can be agreed to.
const container = containers.find(({ answer: code }) => code === 'EPERM')!;
const found = findLandlock(join(import.meta.dirname, '../../node_modules/koffi/index.cjs'));
const landlock = found.kind === 'landlock' && found.abi >= leastLandlockAbi;
const problem = container.problem ?? (landlock ? undefined : 'Landlock is missing');

describe.skipIf(problem !== undefined)(`a turn where namespaces are forbidden${problem ? ` (${problem})` : ''}`, () => {
  it('runs commands under Landlock once the user agreed', async () => {
    const cmd = 'echo made > made; cat made ../home/auth.json; echo x > ../outside';
    const { model, place } = await scene(
      [answer({ items: [callTool('exec_command', { cmd })] }), answer({ items: [say('Done.')] })],
      'sandbox_fallback = "landlock"\nallow_login_shell = false',
      { names: { root: mkdtempSync('/var/tmp/capstan-container-'), home: 'home', workspace: 'workspace' } },
    );
    writeFileSync(join(place.home, 'auth.json'), 'secret');
    const { code, stderr } = await place.start(['exec', 'Go.'], { prefix: container.prefix }).finished;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('Commands run under Landlock here');
    expect(textsOf(inputOf(model, 0)).join('\n')).toContain('Landlock enforces this');
    const output = String(textsOf(inputOf(model, 1)).at(-1));
    expect(output).toContain('made\ncat: ../home/auth.json: Permission denied');
    expect(existsSync(join(place.root, 'outside'))).toBe(false);
  });
});
