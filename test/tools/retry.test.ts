import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/protocol/question.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { CallResult, PreparedCall, Tool } from '../../src/adapters/tools/tool.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { answering, needyScene as scene } from '../harness/needy-scene.ts';

const file = { path: '/etc/x', access: 'write' } as const;

/** A command that fails in the sandbox for want of a file. */
function blockedTool(ran: string[]): Tool {
  return {
    name: 'reach',
    spec: { type: 'function', name: 'reach', parameters: {} },
    prepare: ({ callId }) => {
      const item = { kind: 'command', id: callId, argv: ['sh', '-c', 'x'], cwd: '/repo', output: '' } as const;
      const run: PreparedCall['run'] = ({ policy }): Promise<CallResult> => {
        ran.push(policy.enforcement);
        const isFree = policy.enforcement === 'disabled';
        const blocked = isFree ? {} : { blocked: [file] };
        const status = isFree ? ('completed' as const) : ('failed' as const);
        return Promise.resolve({
          output: isFree ? 'did it' : 'x: Read-only file system',
          item: { ...item, status },
          ...blocked,
        });
      };
      const { argv, cwd } = item;
      return {
        kind: 'prepared',
        item: { ...item, status: 'in-progress' },
        needs: { effect: 'program', argv, cwd },
        run,
      };
    },
  };
}

async function turnWith(given: Answer | Promise<Answer>, approval: 'on-request' | 'never' = 'on-request') {
  const ran: string[] = [];
  const asking = answering(given);
  const script = [answer({ items: [callTool('reach', {})] }), answer({ items: [say('Done.')] })];
  const { live, model, turn } = await scene(script, () => [blockedTool(ran)], asking);
  live.settings = { approvals: approval };
  const result = await turn('go');
  const lines = (await live.lines()).map(({ type }) => type);
  return {
    ran,
    asked: asking.asked,
    result,
    lines,
    last: model.requests.length < 2 ? '' : textsOf(inputOf(model, 1)).at(-1),
  };
}

describe('a command that the sandbox stopped', () => {
  it('runs again outside in the same call if the user says yes, after question and answer are lines', async () => {
    const { ran, asked, lines, last } = await turnWith({ kind: 'allowed' });
    expect(asked).toMatchObject([{ kind: 'retry', paths: [file], argv: ['sh', '-c', 'x'] }]);
    expect(ran).toEqual(['managed', 'disabled']);
    expect(last).toBe(
      'The sandbox stopped this command, and the user let it run again outside the sandbox. This is the second run.\ndid it',
    );
    const order = lines.filter((type) => type === 'capstan_question' || type === 'capstan_call');
    expect(order).toEqual(['capstan_call', 'capstan_question', 'capstan_question', 'capstan_call']);
  });

  it('runs again with the words of the user for the model', async () => {
    const { last } = await turnWith({ kind: 'allowed', note: 'Once.' });
    expect(last).toMatch(/ This is the second run\. The user says: Once\.\ndid it$/);
  });

  it('stays as it is if the user says no, and the model reads both', async () => {
    const { ran, last } = await turnWith({ kind: 'declined', note: 'Use a temporary folder.' });
    expect(ran).toEqual(['managed']);
    expect(last).toBe(
      'The sandbox stopped this command, and the user did not let it run again outside the sandbox. The user says: Use a temporary folder.\nx: Read-only file system',
    );
  });

  it('ends the turn if the user stops it', async () => {
    const { ran, result } = await turnWith({ kind: 'stopped' });
    expect([ran, result]).toEqual([['managed'], { kind: 'aborted' }]);
  });

  it('is not asked about under never', async () => {
    const { ran, asked, last } = await turnWith({ kind: 'allowed' }, 'never');
    expect([ran, asked, last]).toEqual([['managed'], [], 'x: Read-only file system']);
  });
});
