import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OwnTool, words } from '../../src/index.ts';
import {
  answer,
  type AnswerStep,
  callTool,
  cutAfter,
  failed,
  httpError,
  incomplete,
  type ItemDraft,
  overflow,
  reason,
  say,
  type ScriptStep,
  type ScriptStepOf,
} from '../../src/testing/index.ts';
import type { ThreadTurn } from '../../src/engine/thread/read-turn.ts';
import { calls, hangs, long, saysLong, smallLimit, task } from '../compaction/talk.ts';
import { largePng } from '../harness/large-png.ts';
import type { LiveThread } from '../harness/live-thread.ts';

/** A thread while it runs, in whatever format. */
export interface RunningThread {
  readonly live: LiveThread;
  turn(text: string, more?: Partial<ThreadTurn>): Promise<unknown>;
  /** Continues as another process would. */
  reopen(): Promise<void>;
}

/** A thread by its actions and the answers of its model. It says nothing of a format. */
export interface SharedThread {
  readonly title: string;
  readonly config?: string;
  readonly script: () => readonly (ScriptStep | ScriptStepOf)[];
  readonly compaction?: ScriptStepOf;
  run(thread: RunningThread): Promise<void>;
}

export const lookUp: OwnTool = {
  name: 'look_up',
  description: 'Gives the meaning of a word.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  run: ({ word }) => {
    if (word === 'broken') throw new Error('The dictionary is closed.');
    return `${String(word)}: a kind of winch`;
  },
};

const png = largePng(8, 8);
const url = `data:image/png;base64,${png.toString('base64')}`;
const signal = new AbortController().signal;

const does = (...items: readonly ItemDraft[]): AnswerStep => answer({ items, deltas: true });
const looks = (word: string): ItemDraft => callTool('look_up', { word });
const done = does(say('Done.'));
const patch = (text: string): ItemDraft => ({
  type: 'custom_tool_call',
  name: 'apply_patch',
  input: `*** Begin Patch\n${text}\n*** End Patch\n`,
});
const plan = (status: string): ItemDraft => callTool('update_plan', { plan: [{ step: 'Read', status }] });
const runs = (cmd: string): ItemDraft => callTool('exec_command', { cmd });
const refused = (status: number, error: Readonly<Record<string, string>>): ScriptStep =>
  httpError({ status, headers: { 'retry-after': '0' }, body: { error: { message: 'No.', ...error } } });

/** A turn for each text. */
function said(title: string, steps: readonly (ScriptStep | ScriptStepOf)[], ...texts: readonly string[]): SharedThread {
  return {
    title,
    script: () => steps,
    run: async ({ turn }) => {
      for (const text of texts) await turn(text);
    },
  };
}

async function interrupted({ live, turn }: RunningThread, text: string): Promise<void> {
  const stop = new AbortController();
  const before = live.model.requests.length;
  const running = turn(text, { signal: stop.signal });
  await live.model.request(before);
  stop.abort();
  await running;
}

/** Threads that every format must carry alike. */
export const sharedThreads: readonly SharedThread[] = [
  // Words and thoughts.
  said('words', [done], 'Hello?'),
  said('words in five turns', [done], 'One?', 'Two?', 'Three?', 'Four?', 'Five?'),
  said('thoughts before words', [does(reason('Hm.'), say('Done.'))], 'One?', 'Two?'),
  said('words of many lines', [does(say('First.\n\n```\nx\n```\n')), done], '\nOne?\n\n', 'Two?'),
  said('odd words', [does(say('<developer>\n</developer> \u2028 𝔘 "\\ \u0000')), done], 'Zero \u0000 😀?', 'And?'),
  said('long words', [does(say('word '.repeat(5000))), done], 'long '.repeat(5000), 'And?'),
  // Calls.
  said('a call', [does(looks('capstan')), done], 'What is it?'),
  said('calls side by side', [does(looks('a'), looks('b'), looks('c')), done], 'What are these?', 'Thanks.'),
  said('calls in five steps', [1, 2, 3, 4, 5].map((n) => does(looks(`${n}`))).concat([done]), 'What are these?'),
  said(
    'words, thoughts and calls',
    [does(reason('Hm.'), say('I look.'), looks('a'), looks('b')), done],
    'One?',
    'Two?',
  ),
  said('a call of a tool that fails', [does(looks('broken')), done], 'What is it?'),
  said('a call of a tool that there is not', [does(callTool('no_such_tool', {})), done], 'Do it.'),
  said('a call whose arguments are no JSON', [does(callTool('look_up', '{"word":')), done], 'What is it?'),
  said('a call without arguments', [does(callTool('look_up', {})), done], 'What is it?'),
  said('a call with odd arguments', [does(looks('\u2028 "\\ 😀 </tool_output>')), done], 'What is it?'),
  // Commands, plans, patches.
  said('a command', [does(runs('printf hi')), done], 'Run it.'),
  said('commands side by side', [does(runs('printf a'), runs('sleep 0.5; printf b; exit 3')), done], 'Run them.'),
  said('a command that writes', [does(runs('printf hi > a.txt')), does(runs('cat a.txt')), done], 'Run it.'),
  said('a plan', [does(plan('pending')), does(plan('completed')), done], 'Plan.'),
  said('a patch', [does(patch('*** Add File: a.txt\n+hello')), done], 'Write.'),
  said(
    'patches that follow each other',
    [
      does(patch('*** Add File: a.txt\n+hello')),
      does(patch('*** Update File: a.txt\n@@\n-hello\n+bye')),
      does(patch('*** Delete File: a.txt')),
      done,
    ],
    'Write.',
    'And?',
  ),
  said('a patch that does not fit', [does(patch('*** Update File: no.txt\n@@\n-x\n+y')), done], 'Write.'),
  said(
    'a patch beside a command and a plan',
    [does(plan('pending'), patch('*** Add File: a.txt\n+x'), runs('true')), done],
    'Go.',
  ),
  // Pictures.
  {
    title: 'pictures of the user',
    script: () => [done],
    run: async ({ turn }) => {
      const input = { author: 'user' as const, text: 'Look.', images: [{ path: 'a.png', dataUrl: url }] };
      await turn('', { input });
      await turn('And?');
    },
  },
  {
    title: 'pictures of tools',
    script: () => [does(callTool('view_image', { path: 'a.png' }), looks('a')), done],
    run: async ({ live, turn }) => {
      writeFileSync(join(live.place.workspace, 'a.png'), png);
      await turn('Look.');
      await turn('And?');
    },
  },
  // Settings.
  {
    title: 'another model, and back',
    script: () => [done],
    run: async ({ live, turn }) => {
      await turn('One?');
      await live.thread.overrideTurnContext({ model: 'gpt-5.4' });
      await turn('Two?');
      await live.thread.overrideTurnContext({ model: 'gpt-5.5' });
      await turn('Three?');
    },
  },
  {
    title: 'another approval policy',
    script: () => [does(runs('printf hi')), done],
    run: async ({ live, turn }) => {
      await turn('One?');
      await live.thread.overrideTurnContext({ approvals: 'never' });
      await turn('Two?');
    },
  },
  // Interrupts, steering, resumes.
  {
    title: 'an interrupt before the answer',
    script: () => [hangs, done],
    run: async (thread) => {
      await interrupted(thread, 'Stop!');
      await thread.turn('Go on.');
    },
  },
  {
    title: 'an interrupt while a command runs',
    script: () => [does(runs('sleep 60')), done],
    run: async (thread) => {
      const stop = new AbortController();
      thread.live.onEvent = (event) => {
        if (event.kind === 'item-started' && event.item.kind === 'command') stop.abort();
      };
      await thread.turn('Stop!', { signal: stop.signal });
      await thread.turn('Go on.');
    },
  },
  {
    title: 'words in the middle of a turn',
    script: () => [does(runs('true')), done],
    run: async ({ live, turn }) => {
      let isSaid = false;
      live.onEvent = (event) => {
        if (event.kind !== 'item-completed' || event.item.kind !== 'command' || isSaid) return;
        isSaid = true;
        void live.thread.steer({ input: words('And be brief.') });
      };
      await turn('One?');
    },
  },
  {
    title: 'a resume',
    script: () => [does(looks('a')), done, does(looks('b')), done],
    run: async ({ turn, reopen }) => {
      await turn('One?');
      await reopen();
      await turn('Two?');
    },
  },
  // Checkpoints.
  {
    title: 'a checkpoint by hand',
    script: () => [saysLong(), done],
    run: async ({ live, turn }) => {
      await turn(task);
      await live.thread.compact({ signal });
      await turn('Go on.');
    },
  },
  {
    title: 'a checkpoint in the middle of a turn',
    config: smallLimit,
    script: () => [saysLong(['exec_command', { cmd: 'echo one' }]), calls('echo two'), done],
    run: async ({ turn }) => void (await turn(task)),
  },
  {
    title: 'a checkpoint before a turn',
    config: smallLimit,
    script: () => [saysLong(), done],
    run: async ({ turn }) => {
      await turn(task);
      await turn('Go on.');
    },
  },
  {
    title: 'a checkpoint because the server refuses a request as too long',
    script: () => [saysLong(), overflow('status', { tokens: 300_000, window: 272_000 }), done],
    run: async ({ turn }) => {
      await turn(task);
      await turn('Go on.');
    },
  },
  {
    title: 'a checkpoint because the server says in its stream that a request is too long',
    script: () => [saysLong(), overflow('error', { tokens: 300_000, window: 272_000 }), done],
    run: async ({ turn }) => {
      await turn(task);
      await turn('Go on.');
    },
  },
  {
    title: 'a checkpoint that no model writes',
    script: () => [saysLong(), done],
    compaction: () => answer({ items: [say(long)] }),
    run: async ({ live, turn }) => {
      await turn(task);
      await live.thread.compact({ signal });
      await turn('Go on.');
    },
  },
  {
    title: 'a checkpoint, a resume, and another one',
    script: () => [saysLong(), saysLong(), done],
    run: async ({ live, turn, reopen }) => {
      await turn(task);
      await live.thread.compact({ signal });
      await turn(task);
      await reopen();
      await live.thread.compact({ signal });
      await turn('Go on.');
    },
  },
  // Faults.
  said('a limit of the rate', [refused(429, {}), done], 'Hello?'),
  said('a broken server', [refused(500, {}), done], 'Hello?'),
  said('no quota', [refused(429, { code: 'insufficient_quota', type: 'insufficient_quota' }), done], 'Hello?', 'And?'),
  said('an answer that is cut before its head', [cutAfter({ bytes: 0, of: done }), done], 'Hello?'),
  said(
    'an answer that is cut in its middle',
    [cutAfter({ bytes: 150, of: does(say('I look.'), looks('a')) }), done],
    'One?',
  ),
  said(
    'an answer that ends early',
    [incomplete({ items: [say('Half')], reason: 'max_output_tokens' }), done],
    'One?',
    'Two?',
  ),
  said('an overload in the stream', [failed({ code: 'server_is_overloaded', message: 'Busy.' }), done], 'One?'),
];
