import { setImmediate as soon } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { TurnId } from '../../src/protocol/ids.ts';
import type { Answer, Question } from '../../src/protocol/question.ts';
import type { LiveThread } from '../../src/engine/live/live-thread-types.ts';
import { EventEntries } from '../../src/surfaces/tui/transcript/event-entries.ts';
import { defaultScreenLook, TuiScreen } from '../../src/surfaces/tui/screen/tui-screen.ts';
import { ThreadOnScreen, type ThreadOnScreenParts } from '../../src/surfaces/tui/session/thread-on-screen.ts';
import { TerminalContext } from '../../src/surfaces/tui/session/terminal-context.ts';
import type { TerminalInput } from '../../src/surfaces/tui/screen/terminal/terminal-port.ts';
import { typingPauseTimes, TypingPause } from '../../src/surfaces/tui/questions/typing-pause.ts';
import { MemoryTerminal } from '../harness/memory-terminal.ts';

const nothing = (): void => {};
const question = (id: string, agent?: string): Question => ({
  id,
  callId: `call-${id}`,
  turnId: 't' as TurnId,
  tool: 'exec_command',
  item: {},
  kind: 'command',
  argv: ['sh', '-c', `echo ${id}`],
  scopes: ['call'],
  ...(agent === undefined ? {} : { agent }),
});

/** A thread in which nothing happens, with questions that are open. It notes its answers. */
function quietThread(questions: readonly Question[]) {
  const answers: [string, Answer][] = [];
  const thread = {
    id: 'thread',
    place: undefined,
    notices: [],
    settings: { model: 'm', cwd: '/w' },
    isSuspended: false,
    questions,
    async *follow() {},
    leave: async () => {},
    async answer(id: string, answer: Answer) {
      answers.push([id, answer]);
      return { kind: 'answered' };
    },
  };
  return { thread: thread as unknown as LiveThread, answers };
}

function staged(thread: LiveThread) {
  const look = defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
  const terminal = new MemoryTerminal();
  const stage = new TuiScreen({ terminal, look, isFull: false, reflows: false, now: () => 0 });
  const pause = new TypingPause(() => 0, { ...typingPauseTimes, drawn: 0, next: 0 });
  const told: string[] = [];
  const parts = {
    stage,
    surroundings: new TerminalContext({ stage, terminal, env: {}, pause }),
    engine: { notices: [], recordIfNews: () => true, config: { tui: { notifications: false } } },
    entries: new EventEntries(stage.transcript, () => true),
    flow: { switched: nothing, resumed: nothing, holdSteers: async () => void told.push('steers taken back') },
    status: { clear: nothing, refresh: async () => {}, observe: nothing },
    now: () => 0,
    work: async () => {},
    run: (work: Promise<unknown>) => void work,
    told: nothing,
    proposed: nothing,
  };
  const made = new ThreadOnScreen(thread, parts as unknown as ThreadOnScreenParts, undefined);
  const press = (name: string): void => {
    stage.view?.frame({ ...look, width: 80, details: 'folded', now: 0 }, 24);
    stage.view?.input({ kind: 'key', name, text: name.length === 1 ? name : '' } as TerminalInput);
  };
  return { made, stage, told, press };
}

it('open questions of a thread that is switched to are asked, and those of the former one no more', async () => {
  const [first, second] = [quietThread([question('a'), question('b')]), quietThread([question('c')])];
  const { made, stage, press } = staged(first.thread);
  await made.begin('all');
  expect(stage.view).toBeDefined();
  await made.switchTo(second.thread, 'all');
  expect(made.isAsking).toBe(true);
  press('y');
  await soon();
  expect([first.answers, second.answers]).toEqual([[], [['c', { kind: 'allowed', scope: 'call' }]]]);
  expect([made.isAsking, stage.view]).toEqual([false, undefined]);
});

it.each([
  ['of the turn', undefined, ['steers taken back']],
  ['of an agent', 'Ada', []],
])('to stop a question %s: what the turn has not read comes back if the turn ends', async (_, agent, expected) => {
  const { thread, answers } = quietThread([question('a', agent)]);
  const { made, told, press } = staged(thread);
  await made.begin('all');
  press('escape');
  await soon();
  expect([answers, told]).toEqual([[['a', { kind: 'stopped' }]], expected]);
});
