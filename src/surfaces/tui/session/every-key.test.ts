import { beforeAll, expect, it, vi } from 'vitest';
import { noticeCell } from '../transcript/cells/notice-cells.ts';
import { Composer } from '../draft/composer.ts';
import { type Draft, draftFromText } from '../draft/draft.ts';
import { canonicalKey, keyActions, type KeyContext } from '../screen/keys/key-actions.ts';
import type { TerminalInput, TerminalPort } from '../screen/terminal/terminal-port.ts';
import type { Look } from '../screen/text/look.ts';
import { ListView } from '../pages/list-view.ts';
import { PagerView } from '../pages/pager-view.ts';
import { QuestionView } from '../questions/question-view.ts';
import { sampleQuestion } from '../../../../test/harness/sample-question.ts';
import { TypingPause } from '../questions/typing-pause.ts';
import type { View } from '../screen/view.ts';
import type { UserActions } from '../flow/user-acts.ts';
import { KeyboardController } from './keyboard-controller.ts';
import { defaultScreenLook, TuiScreen } from '../screen/tui-screen.ts';
import { TerminalContext } from './terminal-context.ts';

const plain = defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
const look: Look = { ...plain, width: 80, details: 'folded', now: 0 };
const nothing = (): void => {};
const key = (name: string): TerminalInput => ({ kind: 'key', name, text: name.length === 1 ? name : '' });

/** Something that takes keys, and all that they can change. */
interface Place {
  press(name: string): void | Promise<void>;
  seen(): unknown;
}
/** A place, and keys that are pressed there before. */
type Situation = readonly [make: () => Place, ...before: readonly string[]];

function editor(): Place {
  const composer = new Composer();
  composer.draft = { ...draftFromText('one two\nthree four\nfive six'), cursor: 14 };
  return { press: (name) => void composer.input(key(name)), seen: () => composer.draft };
}

const inView = (make: (done: (what: unknown) => void) => View) => (): Place => {
  const done: unknown[] = [];
  const view = make((what) => done.push(what));
  const seen = (): unknown => [view.frame(look, 12).rows, done.length];
  return {
    press(name) {
      seen();
      view.input(key(name));
    },
    seen,
  };
};
const pager = inView((done) => {
  const rows = Array.from({ length: 90 }, (_, at) => `row ${at}`);
  return new PagerView({ title: 'Rows', rows: () => rows, close: () => done('closed') });
});
const list = inView((done) => {
  const items = Array.from({ length: 30 }, (_, at) => ({ label: `item ${at}`, about: '' }));
  return new ListView({ title: 'Items', items, startsAt: 15, pick: done, close: () => done('closed') });
});
const approval = inView((done) => {
  const question = sampleQuestion({
    argv: ['sh', '-c', 'echo a b'],
    prefix: ['echo'],
    scopes: ['call', 'session', 'rule'],
  });
  return new QuestionView({ question, item: undefined, waiting: () => 0, answer: done, showWhole: done });
});

const conversationIn =
  ({ isBusy = false, draft = '', isFull = false }: { isBusy?: boolean; draft?: string; isFull?: boolean }) =>
  (): Place => {
    const calls: unknown[] = [];
    const told =
      (name: string) =>
      (...given: readonly unknown[]): Draft | undefined => {
        calls.push([name, ...given]);
        return name === 'takeQueued' ? draftFromText('queued') : undefined;
      };
    const doors = { earlier: { older: async () => undefined, add: nothing, kept: Promise.resolve() } };
    const state: Record<string, unknown> = { isBusy, canInterrupt: isBusy, canRetry: false, doors };
    const conversation = new Proxy(state, { get: (known, name: string) => known[name] ?? told(name) });
    const port = { columns: 80, rows: 20, keepsScreen: true, marksPastes: true, write: nothing };
    const terminal = port as unknown as TerminalPort;
    const stage = new TuiScreen({ terminal, look: plain, isFull, reflows: true, now: () => 0 });
    vi.spyOn(stage, 'resized').mockImplementation(told('drawn again'));
    for (let at = 0; at < 60; at++)
      stage.transcript.add({ cell: noticeCell('info', { message: `said ${at}` }), isFinal: true });
    stage.plan = { steps: [{ text: 'a step', status: 'pending' }], isFolded: true };
    for (const words of ['first', 'second']) stage.composer.history.seed(draftFromText(words));
    stage.composer.draft = draftFromText(draft);
    const controller = new KeyboardController({
      stage,
      surroundings: new TerminalContext({ stage, terminal, env: {}, pause: new TypingPause(() => 0) }),
      conversation: () => conversation as unknown as UserActions,
      notice: told('notice'),
      suspend: told('suspend'),
      editOutside: told('editOutside'),
      showHelp: told('showHelp'),
      quit: told('quit'),
    });
    return {
      async press(name) {
        controller.input(key(name));
        // Lets its loads finish.
        for (let round = 0; round < 3; round++) await new Promise((later) => setImmediate(later));
      },
      seen: () => [calls, stage.composer.draft, stage.plan, stage.wholeFrame(look, 20).rows],
    };
  };
const inConversation: readonly Situation[] = [
  [conversationIn({ draft: 'words' })],
  [conversationIn({})],
  [conversationIn({ isBusy: true, draft: 'words' })],
  [conversationIn({}), 'ctrl+r', 's', 't', 'ctrl+r'],
  [conversationIn({ isFull: true }), 'pageup'],
];

const situations: Readonly<Record<KeyContext, readonly Situation[]>> = {
  editor: [[editor], [editor, 'x', 'ctrl+_'], [editor, 'ctrl+w', 'left', 'ctrl+w', 'ctrl+y']],
  pager: [[pager, 'pagedown', 'pagedown']],
  list: [[list]],
  approval: [[approval]],
  composer: inConversation,
  chat: inConversation,
  global: inConversation,
};

// Ctrl+R loads it.
beforeAll(() => import('../draft/reverse-search.ts').then(nothing));

async function seenAfter([make, ...before]: Situation, last: string): Promise<string> {
  const place = make();
  for (const name of [...before, last]) await place.press(name);
  return JSON.stringify(place.seen());
}

it.each(keyActions.map((action) => [`${action.context}.${action.name}`, action] as const))(
  '%s does something somewhere',
  async (_, action) => {
    const changes = situations[action.context].map(
      async (situation) => (await seenAfter(situation, canonicalKey(action))) !== (await seenAfter(situation, 'f24')),
    );
    expect(await Promise.all(changes)).toContain(true);
  },
);
