import { describe, expect, it } from 'vitest';
import { answer, callTool, httpError, say } from '../../src/testing/index.ts';
import { LiveThread, namesIn } from '../harness/live-thread.ts';
import { withoutSandbox } from '../harness/scene.ts';

const yes = () => answer({ items: [say('Yes.')] });
const note = (text: string) => ({ type: 'message', role: 'developer', content: [{ type: 'input_text', text }] });

describe('an item that a program injects', () => {
  it('after the last answer opens the turn again', async () => {
    const live = await LiveThread.in([
      async () => {
        await live.thread.inject(note('The build is green.'));
        return answer({ items: [say('Waiting.')] });
      },
      answer({ items: [say('Green.')] }),
    ]);
    expect(await live.turn('one')).toEqual({ kind: 'completed', lastMessage: 'Green.' });
    expect(live.added(1)).toEqual([
      ['assistant', 'Waiting.'],
      ['developer', 'The build is green.'],
    ]);
  });

  it('between two turns stands before the words of the next one, in its first request', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.thread.inject(note('First.'));
    await live.thread.inject(note('Second.'));
    await live.turn('two');
    expect(live.added(1)).toEqual([
      ['assistant', 'Yes.'],
      ['developer', 'First.'],
      ['developer', 'Second.'],
      ['user', 'two'],
    ]);
    expect(live.model.requests.length).toBe(2);
  });

  it('before the first turn stands between the context and the words', async () => {
    const live = await LiveThread.in(yes);
    await live.open();
    await live.thread.inject(note('Early.'));
    await live.turn('one');
    expect(live.layout(0)).toEqual([
      ['developer', 'permissions'],
      ['user', 'environment'],
      ['developer', 'Early.'],
      ['user', 'one'],
    ]);
  });

  it('is not words, also after a resume: a rollback of the turn takes both', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.thread.inject({ ...note('<environment_context>'), role: 'user' });
    await live.turn('two');
    const before = live.thread.state;
    expect(before.marks.length).toBe(2);
    await live.open();
    expect(live.thread.state.marks.length).toBe(2);
  });
});

describe('turns that are asked for at once', () => {
  it('run one after the other, in their order', async () => {
    const live = await LiveThread.in(({ index }) => answer({ items: [say(`Answer ${index}.`)] }));
    await live.open();
    const results = await Promise.all([live.turn('one'), live.turn('two'), live.turn('three')]);
    expect(results).toEqual([0, 1, 2].map((index) => ({ kind: 'completed', lastMessage: `Answer ${index}.` })));
    expect(live.rows(2).slice(-5)).toEqual([
      ['user', 'one'],
      ['assistant', 'Answer 0.'],
      ['user', 'two'],
      ['assistant', 'Answer 1.'],
      ['user', 'three'],
    ]);
    const turns = live.events.filter(({ kind }) => kind.startsWith('turn-')).map(({ kind }) => kind);
    expect(turns).toEqual(Array.from({ length: 3 }, () => ['turn-started', 'turn-completed']).flat());
  });

  it('do not fall with the one before', async () => {
    const stop = new AbortController();
    const live = await LiveThread.in([
      httpError({ status: 400, body: {} }),
      () => {
        stop.abort();
        return yes();
      },
      yes(),
    ]);
    await live.open();
    const results = await Promise.all([
      live.turn('one'),
      live.turn('two', { signal: stop.signal }),
      live.turn('three'),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['failed', 'aborted', 'completed']);
    expect(live.rows(2).map(namesIn).slice(2)).toEqual([
      ['user', 'one'],
      ['user', 'two'],
      ['user', 'turn-aborted'],
      ['user', 'three'],
    ]);
  });
});

describe('an interrupt', () => {
  it('leaves what the command did so far and the mark; both are in the next request', async () => {
    const stop = new AbortController();
    const live = await LiveThread.in(
      [answer({ items: [callTool('exec_command', { cmd: 'echo begun; sleep 60' })] }), yes()],
      withoutSandbox,
    );
    live.onEvent = ({ kind }) => {
      if (kind === 'item-started') stop.abort();
    };
    expect(await live.turn('one', { signal: stop.signal })).toEqual({ kind: 'aborted' });
    await live.turn('two');
    expect(live.layout(1)).toEqual([
      ['call', 'exec_command'],
      ['output', expect.stringMatching(/abort|interrupt|stopped/i)],
      ['user', 'turn-aborted'],
      ['user', 'two'],
    ]);
  });

  it('tells the mark before the end, and nothing after it', async () => {
    const stop = new AbortController();
    const live = await LiveThread.in(() => {
      stop.abort();
      return yes();
    });
    await live.turn('one', { signal: stop.signal });
    const kinds = live.events.map((event) => (event.kind === 'context' ? event.content : event.kind));
    expect(kinds.slice(-2)).toEqual(['turn_aborted', 'turn-aborted']);
    const types = live.place.lines().map(({ type, payload }) => payload['type'] ?? type);
    expect(types.slice(-2)).toEqual(['message', 'turn_aborted']);
  });

  it('before the first request still keeps the words', async () => {
    const live = await LiveThread.in([yes()]);
    expect(await live.turn('one', { signal: AbortSignal.abort() })).toEqual({ kind: 'aborted' });
    await live.turn('two');
    expect(live.layout(0).slice(2)).toEqual([
      ['user', 'one'],
      ['user', 'turn-aborted'],
      ['user', 'two'],
    ]);
  });
});
