import { beforeAll, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { requireTmux, TmuxShell } from '../harness/tmux.ts';
import { makeRepository } from '../tui/commands/repository.ts';

beforeAll(requireTmux);

it('commands on a real terminal: the list, a review, the effort by key, and the status', async () => {
  const findings = JSON.stringify({
    findings: [],
    overall_correctness: 'patch is correct',
    overall_explanation: 'Fine.',
  });
  const { place } = await scene([
    answer({ items: [callTool('exec_command', { cmd: 'git log --oneline' })] }),
    answer({ items: [say(findings)] }),
  ]);
  makeRepository(place);
  const shell = new TmuxShell(place, 100, 30);
  shell.start();
  await shell.sees('Context 100% left');
  shell.type('/');
  await shell.sees(/more: up and down, or type a name/);
  shell.type('rev');
  await shell.sees(/› \/rev\n\n› \/review \[WORDS\]/, 'screen');
  shell.press('Enter');
  await shell.sees('What should be reviewed?', 'screen');
  shell.type('1');
  await shell.sees('topic -> main', 'screen');
  shell.press('Enter');
  await shell.sees('Code review: no findings, patch is correct');
  await shell.sees('Worked for');
  shell.press('M-.');
  await shell.sees('The next turn uses gpt-5.5 (high).');
  shell.type('/status');
  shell.press('Enter');
  const rows = await shell.sees(/ {2}Cost +\S/);
  expect(rows).toMatch(/Model +gpt-5\.5 \(high\)/);
  shell.press('C-d');
  await shell.sees('To continue: capstan resume');
});
