import { describe, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { openIn, tuiScene } from './tui-scene.ts';

const done = (text: string) => answer({ items: [say(text)], deltas: true });
const plan = (...statuses: readonly string[]) =>
  callTool('update_plan', { plan: statuses.map((status, at) => ({ step: `Step ${at + 1}`, status })) });
const altT = '\u001Bt';

describe('plans and background commands above the composer', () => {
  it('the plan is pinned in one row, unfolds, and goes when it is done', async () => {
    const built = await scene(
      [
        answer({ items: [plan('completed', 'in_progress', 'pending')] }),
        answer({ items: [callTool('exec_command', { cmd: 'sleep 1.5' })] }),
        done('Half.'),
        answer({ items: [plan('completed', 'completed', 'completed')] }),
        done('All.'),
      ],
      'approval_policy = "on-request"\n[tui]\nstatus_line = ["task-progress", "context-remaining"]\n',
    );
    const opened = await openIn(built, { kind: 'new' });
    const { sees, say: tell, terminal, leave } = opened;
    await sees('Context');
    tell('Go.');
    await sees('Tasks 1/3 · Step 2 (alt+t shows all)');
    await sees(/Working \(.* esc to interrupt\)/);
    terminal.type('\u001B[Z');
    expect((await sees('Plan mode can be switched when the turn has ended.')).join('\n')).toMatch(/ Ask$/m);
    terminal.type(altT);
    await sees(/Tasks 1\/3 \(alt\+t folds them\)\n {4}✔ Step 1\n {4}→ Step 2\n {4}□ Step 3/);
    terminal.type(altT);
    await sees('• Half.');
    await sees('Tasks 1/3 ·');
    tell('On.');
    await sees('• All.');
    const rows = (await sees(/• All\.[^]*Worked for/)).join('\n');
    expect(rows).not.toContain('Tasks ');
    await leave();
    const resumed = await openIn(built, { kind: 'last' });
    expect((await resumed.sees(/• All\.[^]*Context/)).join('\n')).not.toContain('Tasks ');
  });

  it('the end of plan mode asks what to do with the plan, unless a message waits', async () => {
    const proposal = 'Here it is.\n\n<proposed_plan>\n# Build it\n\n- first\n- second\n</proposed_plan>';
    const built = await scene(
      [
        answer({ items: [callTool('exec_command', { cmd: 'sleep 0.5' })] }),
        done(proposal),
        done(proposal),
        done(proposal),
        done('Built.'),
        done(proposal),
        done('Built anew.'),
      ],
      'approval_policy = "on-request"',
    );
    const pauses = { typed: 50, drawn: 0, next: 0, over: 0 };
    const { sees, say: tell, terminal, model } = await openIn(built, { kind: 'new' }, 80, { pauses });
    await sees('Context');
    tell('/plan Make a plan.');
    await sees('Running sleep');
    terminal.type('Another.\t');
    await sees('↳ Another.');
    await sees('Implement this plan?');
    expect(textsOf(inputOf(model, 2)).at(-1)).toBe('Another.');
    terminal.type('3');
    await sees('Ask Capstan');
    await sees(/ Plan mode$/m);
    tell('/plan');
    await sees(/ Ask$/m);
    tell('/plan A third.');
    await sees(/Implement this plan\?[^]*2\. Yes, with a cleared context +a new conversation/);
    terminal.type('1');
    expect((await sees(/• Built\.[^]*Worked for/)).join('\n')).toMatch(/ Ask$/m);
    expect(textsOf(inputOf(model, 4)).at(-1)).toBe('Implement the plan.');
    tell('/model gpt-5.4-mini low');
    await sees('gpt-5.4-mini low ·');
    tell('/plan Once more.');
    await sees('3. No, stay in plan mode');
    terminal.type('2');
    await sees('• Built anew.');
    const input = textsOf(inputOf(model, 6));
    expect(input.at(-1)).toBe('Implement this plan:\n\n# Build it\n\n- first\n- second');
    expect(input.join('\n')).not.toContain('Another.');
    expect(model.requests[6]!.body).toMatchObject({ model: 'gpt-5.4-mini', reasoning: { effort: 'low' } });
  });

  it('commands in the background are counted, listed and stopped; an interrupt keeps them, and what waited', async () => {
    const {
      sees,
      say: tell,
      terminal,
    } = await tuiScene(({ body }) => {
      const [, id] = /session ID (\d+)/.exec(JSON.stringify(body['input'])) ?? [];
      const runs = { cmd: 'echo tick; sleep 60', yield_time_ms: 300 };
      if (id === undefined) return answer({ items: [callTool('exec_command', runs)] });
      return answer({ items: [callTool('write_stdin', { session_id: Number(id), chars: '', yield_time_ms: 30_000 })] });
    });
    await sees('Context');
    tell('Go.');
    await sees('1 in background, /ps');
    await sees(/• Waiting for background terminal \d+\n/);
    terminal.type('\u001B');
    await sees(/• Waited for background terminal \d+\n\n⚠ The turn was interrupted\.[^]*1 in background, \/ps/);
    tell('/ps');
    await sees(/• Background terminal \d+ echo tick; sleep 60\n {2}└ tick/);
    tell('/stop');
    await sees('Stopped 1 background terminal.');
    const rows = (await sees('Interrupted: echo tick')).join('\n');
    expect(rows).not.toContain('in background');
  });
});
