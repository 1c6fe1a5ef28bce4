import { describe, expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import type { TurnId } from '../../src/protocol/ids.ts';
import { answer, callTool, httpError, reason, say } from '../../src/testing/index.ts';
import { admitSteering } from '../../src/engine/thread/client-input.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { withoutSandbox } from '../harness/scene.ts';

const yes = () => answer({ items: [say('Yes.')] });
const steered = (live: LiveThread) => ({
  kind: 'steered',
  turnId: live.thread.turnId!,
  messageId: expect.any(String) as string,
});

describe('words for a running turn', () => {
  it('reach the next request, after outputs and what changed; the answer that is coming is not cut', async () => {
    const live = await LiveThread.in(
      [
        async () => {
          expect(await live.thread.steer({ input: words('Mind the gap.') })).toEqual(steered(live));
          return answer({
            items: [
              reason('Let me see.'),
              callTool('exec_command', { cmd: 'printf "Be kind." > AGENTS.md; echo seen' }),
            ],
          });
        },
        yes(),
      ],
      withoutSandbox,
    );
    expect(await live.turn('one')).toEqual({ kind: 'completed', lastMessage: 'Yes.' });
    expect(live.layout(1)).toEqual([
      ['reasoning'],
      ['call', 'exec_command'],
      ['output', expect.stringContaining('seen')],
      ['user', 'agents-md'],
      ['user', 'Mind the gap.'],
    ]);
    expect(live.model.requests.length).toBe(2);
  });

  it('that come with the last answer open the turn again, which ends with the newest message', async () => {
    const live = await LiveThread.in([
      async () => {
        await Promise.all(['And two?', 'And three?'].map((text) => live.thread.steer({ input: words(text) })));
        return answer({ items: [say('One.')] });
      },
      answer({ items: [say('Two and three.')] }),
    ]);
    expect(await live.turn('One?')).toEqual({ kind: 'completed', lastMessage: 'Two and three.' });
    expect(live.added(1)).toEqual([
      ['assistant', 'One.'],
      ['user', 'And two?'],
      ['user', 'And three?'],
    ]);
    expect(live.told('turn-started').length).toBe(1);
  });

  it('are shown and recorded like the words that began it', async () => {
    const live = await LiveThread.in([
      async () => {
        await live.thread.steer({ input: words('Go on.') });
        return yes();
      },
      yes(),
    ]);
    await live.turn('one');
    const said = live.place
      .lines()
      .flatMap(({ payload }) => (payload['type'] === 'item_completed' ? [payload['item']] : []));
    expect(said).toEqual([
      expect.objectContaining({ type: 'UserMessage', content: [{ type: 'text', text: 'one', text_elements: [] }] }),
      expect.objectContaining({ type: 'AgentMessage' }),
      expect.objectContaining({ type: 'UserMessage', content: [{ type: 'text', text: 'Go on.', text_elements: [] }] }),
      expect.objectContaining({ type: 'AgentMessage' }),
    ]);
    expect(live.told('context').flatMap(({ cause, text }) => (cause === 'user' ? [text] : []))).toEqual([
      'one',
      'Go on.',
    ]);
  });

  it('can be withdrawn until a request has them, once, and are never said then', async () => {
    const ids: string[] = [];
    const live = await LiveThread.in([
      async () => {
        for (const text of ['Keep.', 'Forget.']) {
          const accepted = await live.thread.steer({ input: words(text) });
          if (accepted.kind === 'steered') ids.push(accepted.messageId);
        }
        expect(await live.thread.withdraw([ids[1]!])).toEqual([ids[1]]);
        expect(await live.thread.withdraw([ids[1]!])).toEqual([]);
        return answer({ items: [say('One.')] });
      },
      async () => {
        expect(await live.thread.withdraw(ids)).toEqual([]);
        return yes();
      },
      yes(),
    ]);
    await live.turn('One?');
    await live.turn('Two?');
    expect(live.added(1)).toEqual([
      ['assistant', 'One.'],
      ['user', 'Keep.'],
    ]);
    expect(live.added(2)).toEqual([
      ['assistant', 'Yes.'],
      ['user', 'Two?'],
    ]);
  });

  it('are refused once nothing more enters the turn, so that no word is taken and lost', async () => {
    const live = await LiveThread.in(yes);
    const late: Promise<unknown>[] = [];
    live.onEvent = (event) => {
      if (event.kind === 'turn-completed') late.push(live.thread.steer({ input: words('Wait!') }));
    };
    await live.turn('one');
    await live.turn('two');
    expect(await Promise.all(late)).toEqual([
      { kind: 'refused', outcome: expect.objectContaining({ code: 'no-active-turn' }) },
      { kind: 'refused', outcome: expect.objectContaining({ code: 'no-active-turn' }) },
    ]);
    expect(live.added(1)).toEqual([
      ['assistant', 'Yes.'],
      ['user', 'two'],
    ]);
  });
});

describe('words that came too late for a turn', () => {
  it('that failed are kept for the next one', async () => {
    const live = await LiveThread.in([
      async () => {
        await live.thread.steer({ input: words('Mind the gap.') });
        return httpError({ status: 400, body: { error: { message: 'No.' } } });
      },
      yes(),
    ]);
    expect(await live.turn('one')).toMatchObject({ kind: 'failed' });
    await live.close();
    await live.turn('two');
    expect(live.added(1)).toEqual([
      ['user', 'Mind the gap.'],
      ['user', 'two'],
    ]);
  });

  it('that was stopped are kept too, before the mark', async () => {
    const stop = new AbortController();
    const live = await LiveThread.in([
      async () => {
        await live.thread.steer({ input: words('Mind the gap.') });
        stop.abort();
        return yes();
      },
      yes(),
    ]);
    expect(await live.turn('one', { signal: stop.signal })).toEqual({ kind: 'aborted' });
    await live.turn('two');
    expect(live.layout(1)).toEqual([
      ['user', 'Mind the gap.'],
      ['user', 'turn-aborted'],
      ['user', 'two'],
    ]);
  });
});

describe('who may steer', () => {
  const turnId = 'turn-1' as TurnId;
  const input = words('Go on.');
  const window = { model: 'm', effective: 1000 };
  const running = { turnId, ...window, outputSchema: { type: 'object', properties: { a: { type: 'string' } } } };
  const codeOf = (...asked: Parameters<typeof admitSteering>): string => {
    const result = admitSteering(...asked);
    return result.kind === 'refused' ? result.outcome.code : result.kind;
  };

  it.each([
    ['without a turn', 'no-active-turn', { input }, undefined],
    ['that turn', 'steered', { input, turnId }, running],
    ['another turn', 'another-turn', { input, turnId: 'turn-0' as TurnId }, running],
    ['with nothing to say', 'empty-input', { input: words(' \n') }, running],
    ['with nothing to see', 'empty-input', { input: words('\u200B \u3164\u2800\u00AD') }, running],
    ['with nothing to say and no turn', 'empty-input', { input: words('') }, undefined],
    [
      'with a picture alone',
      'steered',
      { input: { author: 'user', text: '', images: [{ path: 'a.png', url: 'data:,' }] } },
      running,
    ],
    ['with its schema', 'steered', { input, outputSchema: running.outputSchema }, running],
    [
      'with its schema in another order of keys',
      'steered',
      { input, outputSchema: { properties: { a: { type: 'string' } }, type: 'object' } },
      running,
    ],
    ['with another schema', 'output-schema-differs', { input, outputSchema: { type: 'object' } }, running],
    [
      'with a schema for a turn that has none',
      'output-schema-differs',
      { input, outputSchema: {} },
      { turnId, ...window },
    ],
    ['with more than the window holds', 'prompt-too-long', { input: words('word '.repeat(2000)) }, running],
  ] as const)('%s: %s', (_name, code, asked, turn) => {
    expect(codeOf(asked as never, turn)).toBe(code);
  });

  it('every refusal says what to do', () => {
    const refusals = [
      admitSteering({ input }, undefined),
      admitSteering({ input: words('') }, running),
      admitSteering({ input, turnId: 'x' as TurnId }, running),
      admitSteering({ input, outputSchema: {} }, running),
      admitSteering({ input: words('word '.repeat(2000)) }, running),
    ];
    for (const refusal of refusals) {
      const text = expect.stringMatching(/^[A-Z].*\.$/s);
      expect(refusal).toEqual({ kind: 'refused', outcome: { code: expect.any(String), message: text, next: text } });
    }
  });
});
