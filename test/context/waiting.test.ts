import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import type { TurnId } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { TurnItem } from '../../src/protocol/turn-item.ts';
import { callProcessLine, callStartedLine } from '../../src/core/state/fold/running-calls.ts';
import { SimulatedDisk, startScriptedModel, type ScriptStepOf } from '../../src/testing/index.ts';
import { killedNow } from '../harness/killed-now.ts';
import { waitingItem } from '../../src/core/state/fold/waiting-messages.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { WatchedThread } from '../harness/watched-thread.ts';
import { compacts, linesOf, long, requestKinds, says, saysLong, smallLimit, talk, task } from '../compaction/talk.ts';

const signal = new AbortController().signal;
const later = { compactsAfterTurns: false };
const note = (text: string) => ({ type: 'message', role: 'developer', content: [{ type: 'input_text', text }] });

/** The texts that wait in the thread, as a fold of its file has them. */
function waitingIn({ thread }: LiveThread): readonly unknown[] {
  return thread.state.waiting.map((each) =>
    each.kind === 'words' ? each.input.text : (waitingItem(each)['content'] as JsonObject[])[0]?.['text'],
  );
}

const notice = (text: unknown) => expect.objectContaining({ code: 'messages-waiting', message: text });

it('words that wait for a change of settings are safe with the change', async () => {
  const live: LiveThread = await LiveThread.in(talk([says('Yes.')]));
  await live.turn(task);
  const change = live.thread.overrideTurnContext({ effort: 'high' });
  const ended = live.turn('waits for the change');
  await change;
  const killed = killedNow(live);
  await ended;
  await killed.back(live);
  await live.open({}, later);
  expect(waitingIn(live)).toEqual(['waits for the change']);
  expect(live.thread.settings.effort).toBe('high');
});

describe('a process that is killed', () => {
  it('during the compaction before a turn leaves the words of the turn, and the next turn begins with them', async () => {
    let killed: ReturnType<typeof killedNow> | undefined;
    const compaction: ScriptStepOf = (request) => {
      killed = killedNow(live);
      return compacts(request);
    };
    const live: LiveThread = await LiveThread.in(talk([saysLong(), says('Yes.')], compaction), smallLimit);
    await live.open({}, later);
    await live.turn(task);
    await live.turn('Do not touch the lexer.');
    await killed!.back(live);
    await live.open({}, later);
    expect(waitingIn(live)).toEqual(['Do not touch the lexer.']);
    expect(live.notices).toContainEqual(notice(expect.stringContaining('“Do not touch the lexer.”')));
    const from = live.model.requests.length;
    await live.turn('Go on.');
    expect(live.rows(live.model.requests.length - 1).slice(-2)).toEqual([
      ['user', 'Do not touch the lexer.'],
      ['user', 'Go on.'],
    ]);
    expect(requestKinds(live).slice(from)).toEqual(['checkpoint', 'step']);
    // The model knows nothing of the turn that was cut off, and nothing was done in it.
    expect(JSON.stringify(live.model.requests.at(-1)?.body)).not.toContain('turn_aborted');
    expect(waitingIn(live)).toEqual([]);
    await live.open();
    expect([waitingIn(live), live.notices]).toEqual([[], []]);
  });

  it('while a turn waits for another one leaves its words', async () => {
    let killed: ReturnType<typeof killedNow> | undefined;
    const live: LiveThread = await LiveThread.in(
      talk([
        async () => {
          for (const text of ['two', 'three']) void live.turn(text);
          // The words are made durable at once, and this waits for the same.
          await live.thread.inject(note('of a program'));
          killed = killedNow(live);
          return says('One.');
        },
        says('Yes.'),
      ]),
    );
    await live.turn('one');
    await live.turn('four');
    expect(
      live
        .rows(4)
        .filter(([role]) => role !== 'assistant')
        .slice(2),
    ).toEqual([
      ['user', 'one'],
      ['developer', 'of a program'],
      ['user', 'two'],
      ['user', 'three'],
      ['user', 'four'],
    ]);
    await killed!.back(live);
    await live.open({}, later);
    expect(waitingIn(live)).toEqual(['two', 'three', 'of a program']);
    await live.turn('five');
    expect(live.rows(live.model.requests.length - 1).slice(-4)).toEqual([
      ['user', 'two'],
      ['user', 'three'],
      ['developer', 'of a program'],
      ['user', 'five'],
    ]);
  });

  it.each(['steer', 'inject'] as const)('after words were accepted by %s leaves them', async (how) => {
    let killed: ReturnType<typeof killedNow> | undefined;
    const live: LiveThread = await LiveThread.in(
      talk([
        async () => {
          const { thread } = live;
          const accepted =
            how === 'steer' ? thread.steer({ input: words('Mind the gap.') }) : thread.inject(note('Mind the gap.'));
          expect(await accepted).toMatchObject({ kind: how === 'steer' ? 'steered' : 'injected' });
          killed = killedNow(live);
          return says('One.');
        },
        says('Yes.'),
      ]),
    );
    await live.turn('one');
    await killed!.back(live);
    await live.open({}, later);
    expect(waitingIn(live)).toEqual(['Mind the gap.']);
    await live.turn('two');
    expect(live.rows(2).slice(-2)).toEqual([
      [how === 'steer' ? 'user' : 'developer', 'Mind the gap.'],
      ['user', 'two'],
    ]);
  });
});

it('a message that comes right after a turn was submitted stands behind the words of that turn', async () => {
  const live = await LiveThread.in(() => says('Yes.'));
  await live.open();
  const started = [live.turn('A'), live.thread.inject(note('I')), live.turn('B'), live.thread.inject(note('J'))];
  await Promise.all(started);
  const said = (request: number) => live.rows(request).flatMap(([, text = '']) => (text.length === 1 ? [text] : []));
  expect([said(0), said(1)]).toEqual([
    ['A', 'I', 'J'],
    ['A', 'I', 'J', 'B'],
  ]);
});

describe('words are on the disk', () => {
  it('before a listener learns that its turn has begun, whatever becomes durable meanwhile', async () => {
    const model = await startScriptedModel(() => says('Yes.'));
    const disk = new SimulatedDisk();
    const thread = new WatchedThread(model.url, { home: '/home', files: disk, locks: disk.locks });
    // The turn has begun, and its words have not entered history.
    thread.adapt = (parts) => ({
      ...parts,
      gatherStep: async (envelope) => {
        await thread.live?.overrideTurnContext({ effort: 'high' });
        return parts.gatherStep(envelope);
      },
    });
    let stored: Promise<string> | undefined;
    thread.onEvent = ({ kind }) => {
      if (kind === 'turn-started') stored = Promise.resolve(thread.lines().then((lines) => JSON.stringify(lines)));
    };
    const before = await thread.open();
    await before.run({ input: words('Hello.'), signal });
    await thread.close();
    await model.close();
    expect(await stored).toContain('Hello.');
    const waited = (await thread.lines()).filter(({ type }) => type === 'capstan_waiting');
    expect(waited).toHaveLength(1);
  });

  it('before a hook is asked about the compaction before the turn', async () => {
    const live = await LiveThread.in(talk([saysLong(), says('Yes.')]), smallLimit);
    let stored: readonly unknown[] = [];
    const before = async () => {
      stored = linesOf(live, 'capstan_waiting').map(({ payload }) => payload);
      return undefined;
    };
    await live.open({}, { ...later, checkpointHooks: { before } });
    await live.turn(task);
    await live.turn('Go on.');
    expect(stored).toEqual([
      { id: expect.any(String), kind: 'words', input: { text: 'Go on.', images: [] }, seal: expect.any(String) },
    ]);
  });

  it('before commands of a turn that was cut off are ended', async () => {
    const model = await startScriptedModel(() => says('Yes.'));
    const disk = new SimulatedDisk();
    const thread = new WatchedThread(model.url, { home: '/home', files: disk, locks: disk.locks });
    await (await thread.open()).run({ input: words('one'), signal });
    const [turnId, callId] = ['dead' as TurnId, 'call_1'];
    const item: TurnItem = {
      kind: 'command',
      id: callId,
      argv: ['sleep'],
      cwd: '/repo',
      status: 'in-progress',
      output: '',
    };
    await thread.write([
      { type: 'event_msg', payload: { type: 'task_started', turn_id: turnId } },
      callStartedLine({ threadId: thread.id!, turnId, callId, tool: 'exec_command', at: 0, item }),
      callProcessLine(turnId, callId, { pid: 4321, startedAt: 'then', mark: 'mark' }),
    ]);
    let stored = '';
    const end = async () => {
      stored = JSON.stringify(await thread.lines());
      return 'ended' as const;
    };
    thread.adapt = (parts) => ({ ...parts, processes: { end } });
    await (await thread.open()).run({ input: words('Is it over?'), signal });
    await thread.close();
    await model.close();
    expect(stored).toContain('Is it over?');
  });
});

it('plain turns store their words once, and write no other line than before', async () => {
  const live = await LiveThread.in(talk([says('Yes.')]));
  await live.turn('one');
  await live.turn('two');
  await live.open();
  await live.turn('three');
  const text = readFileSync(live.place.rollouts()[0]!, 'utf8');
  expect([linesOf(live, 'capstan_waiting'), text.includes('waited')]).toEqual([[], false]);
});

describe('a message that does not enter history', () => {
  const small = 'model_context_window = 20000';

  it('because it is too long waits no more, whether its turn was refused or never came', async () => {
    let killed: ReturnType<typeof killedNow> | undefined;
    let refused: Promise<unknown> | undefined;
    const live: LiveThread = await LiveThread.in(
      talk([
        async () => {
          refused = live.turn(long);
          await live.thread.inject(note('of a program'));
          killed = killedNow(live);
          return says('One.');
        },
        says('Yes.'),
      ]),
      small,
    );
    await live.turn('one');
    expect(await refused).toMatchObject({ kind: 'failed', outcome: { code: 'prompt-too-long' } });
    expect(linesOf(live, 'capstan_waiting').at(-1)?.payload).toMatchObject({ dropped: 'prompt-too-long' });
    expect(live.thread.state.waiting).toEqual([]);
    await killed!.back(live);
    await live.open({}, later);
    expect(live.thread.state.waiting).toHaveLength(2);
    const from = live.events.length;
    expect(await live.turn('two')).toMatchObject({ kind: 'completed' });
    const warned = live.events.slice(from).flatMap((event) => (event.kind === 'warning' ? [event.outcome.code] : []));
    expect(warned).toEqual(['waiting-message-dropped']);
    expect(live.rows(live.model.requests.length - 1).slice(-2)).toEqual([
      ['developer', 'of a program'],
      ['user', 'two'],
    ]);
  });

  it('because the change that came with it was refused waits no more', async () => {
    let refused: Promise<unknown> | undefined;
    const live: LiveThread = await LiveThread.in(
      talk([
        async () => {
          refused = live.thread.runWith({ approvals: 'sometimes' as never }, { input: words('two'), signal });
          await refused;
          expect(live.thread.state.waiting).toEqual([]);
          return says('One.');
        },
      ]),
    );
    await live.turn('one');
    expect(await refused).toMatchObject({ kind: 'refused' });
    expect(linesOf(live, 'capstan_waiting').map(({ payload }) => Object.keys(payload))).toEqual([
      ['id', 'kind', 'input', 'seal'],
      ['id', 'dropped'],
    ]);
  });

  it('because no model reads such an item does not hold up the turn', async () => {
    const live = await LiveThread.in(talk([says('Yes.')]));
    await live.open();
    await live.thread.inject({ type: 'compaction_trigger' });
    expect(await live.turn('one')).toMatchObject({ kind: 'completed' });
    expect([live.thread.state.waiting, live.model.requests.length]).toEqual([[], 1]);
  });
});

describe('a thread with a message that waits', () => {
  async function waiting(): Promise<LiveThread> {
    const live = await LiveThread.in(talk([saysLong(), says('Yes.')]));
    await live.open({}, later);
    await live.turn(task);
    await live.thread.inject(note('of a program'));
    return live;
  }

  it('is compacted without it: it waits after the checkpoint as before', async () => {
    const live = await waiting();
    const { id } = live;
    await live.close();
    expect(await live.place.run('threads', 'compact', id)).toMatchObject({ code: 0 });
    expect(JSON.stringify(live.model.requests.at(-1)?.body)).not.toContain('of a program');
    await live.open({}, later);
    expect(waitingIn(live)).toEqual(['of a program']);
    await live.turn('Go on.');
    expect(live.rows(live.model.requests.length - 1).slice(-2)).toEqual([
      ['developer', 'of a program'],
      ['user', 'Go on.'],
    ]);
  });

  it('shows it where people look', async () => {
    const live = await waiting();
    const { id } = live;
    await live.close();
    const { stdout } = await live.place.run('threads', 'show', id);
    expect(stdout).toMatch(/Waiting for the next turn\n {2}of a program\n$/);
    const json = JSON.parse((await live.place.run('threads', 'show', id, '--json')).stdout) as JsonObject;
    expect(json['waiting']).toEqual([{ id: expect.any(String), kind: 'item', item: note('of a program') }]);
    const context = await live.place.run('context', id);
    expect(context.stdout).toMatch(/client .*\n {2}message .* next/);
    const resumed = await live.place.run('exec', '--skip-git-repo-check', 'resume', id, 'Go on.');
    expect(resumed.stderr).toContain('“of a program”');
    expect(resumed.stderr).toContain('Capstan sends it with the next turn');
  });

  it('is forked without it', async () => {
    const live = await waiting();
    const engine = await live.engine();
    const forked = await engine.fork(live.id, { kind: 'latest' }, { listener: () => {} });
    if (forked.kind === 'refused') throw new Error(forked.outcome.message);
    expect([forked.thread.state.waiting, forked.notices]).toEqual([[], []]);
    await forked.thread.close();
    expect([await engine.stored.waiting(forked.thread.id), (await engine.stored.waiting(live.id)).length]).toEqual([
      [],
      1,
    ]);
  });

  it('keeps it through a rollback if it still waits, and through the undo in any case', async () => {
    const live = await waiting();
    const engine = await live.engine();
    await live.close();
    // Accepted after the turn: it goes with the turn.
    expect(await engine.stored.rollback(live.id, { turns: 1 })).toMatchObject({ kind: 'rolled-back' });
    expect(await engine.stored.waiting(live.id)).toEqual([]);
    await live.open();
    await live.thread.inject(note('since then'));
    await live.close();
    expect(await engine.stored.undoRollback(live.id)).toMatchObject({ kind: 'rollback-undone' });
    await live.open({}, later);
    expect(waitingIn(live)).toEqual(['of a program', 'since then']);
  });

  it('does not say again what a rollback takes back, though it was accepted before', async () => {
    const live: LiveThread = await LiveThread.in(
      talk([
        async () => {
          second = live.turn('two');
          return says('One.');
        },
        says('Yes.'),
      ]),
    );
    let second: Promise<unknown> | undefined;
    await live.turn('one');
    await second;
    await live.close();
    const engine = await live.engine();
    expect(await engine.stored.rollback(live.id, { turns: 1 })).toMatchObject({ kind: 'rolled-back' });
    expect(await engine.stored.waiting(live.id)).toEqual([]);
    await live.turn('three');
    expect(live.rows(2).slice(-3)).toEqual([
      ['user', 'one'],
      ['assistant', 'One.'],
      ['user', 'three'],
    ]);
  });
});

it('a thread that is closed keeps the messages of turns that did not begin, and says so', async () => {
  let results: Promise<readonly unknown[]> | undefined;
  const stop = new AbortController();
  const live: LiveThread = await LiveThread.in(
    talk([
      async () => {
        const others = ['two', 'three'].map((text) => live.turn(text).catch((fault: unknown) => fault));
        results = Promise.all(others);
        await live.close();
        stop.abort();
        return says('One.');
      },
      says('Yes.'),
    ]),
  );
  await live.turn('one', { signal: stop.signal }).catch(() => undefined);
  const closed = { code: 'thread-closed', next: expect.stringContaining('next turn') };
  expect(await results).toMatchObject([
    { kind: 'failed', outcome: closed },
    { kind: 'failed', outcome: closed },
  ]);
  await live.open();
  expect(waitingIn(live)).toEqual(['two', 'three']);
  expect(live.notices).toContainEqual(notice(expect.stringContaining('“two”; “three”')));
});

it('a command of the user is no news at the next resume, and is shown as it was typed', async () => {
  const live = await LiveThread.in(talk([says('Yes.')]));
  await live.turn(task);
  await live.thread.shell({ command: 'echo "<a> & b"', signal });
  expect(live.thread.waiting).toEqual(['!echo "<a> & b"']);
  await live.close();
  const shown = await live.place.run('threads', 'show', live.id);
  expect(shown.stdout).toContain('Waiting for the next turn\n  !echo "<a> & b"\n');
  await live.open({}, later);
  expect(live.notices).toEqual([]);
  // Another item stands as its text, and the user is told of it.
  await live.thread.inject({ ...note('<note>Mind the <b> tag.</note>'), role: 'user' });
  await live.thread.inject(note('<model_switch>\nAnother model.\n</model_switch>'));
  await live.open({}, later);
  expect(live.notices.map(({ message }) => message)).toEqual([
    expect.stringContaining('not sent yet: “<note>Mind the <b> tag.</note>”; “Another model.”.'),
  ]);
  await live.close();
  const run = await live.place.run('exec', 'resume', live.id, 'Go on.');
  expect([run.code, run.stderr.includes('user_shell_command')]).toEqual([0, false]);
  expect(
    live
      .rows(live.model.requests.length - 1)
      .flat()
      .join('\n'),
  ).toContain('<user_shell_command>');
});
