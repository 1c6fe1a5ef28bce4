import { answer, callTool, hang, type ItemDraft, reason, say } from '../../../src/testing/index.ts';
import type { DrawnPicture, DrawnScene } from './drawn-scene.ts';

const [enter, up, down, ctrlT, altT] = ['\r', '\u001B[A', '\u001B[B', '\u0014', '\u001Bt'];

const run = (cmd: string, more: object = {}) => answer({ items: [callTool('exec_command', { cmd, ...more })] });
const tell = (text: string) => answer({ items: [say(text)], deltas: true });
const patch = (...lines: readonly string[]): ItemDraft =>
  callTool('apply_patch', { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });

const fix = [
  answer({ items: [reason('**Looking at the failing check**'), callTool('exec_command', { cmd: 'node check.mjs' })] }),
  answer({
    items: [
      patch(
        '*** Update File: src/slug.mjs',
        '@@ export function slug(title) {',
        "-  return title.toLowerCase().replace(' ', '-');",
        "+  return title.toLowerCase().replaceAll(' ', '-');",
      ),
    ],
  }),
  run('node check.mjs'),
  tell('Fixed: `replace()` changed only the **first** blank. The check passes now.'),
];

async function fixed({ sees, turn }: DrawnScene): Promise<void> {
  await sees('Context 100% left');
  await turn('The check fails. Fix it.');
}

const explain = tell(
  'The shop makes addresses from titles:\n\n' +
    '| File | What it does |\n|---|---|\n| `src/slug.mjs` | a title as a part of an address |\n| `check.mjs` | the check |\n\n' +
    '```js\nslug("A Tale of Two Cities"); // "a-tale-of-two-cities"\n```\n\n1. Read `slug()`.\n2. Run the check.',
);

const plan = (...statuses: readonly string[]) => {
  const steps = ['Read slug() and its check', 'Replace every blank', 'Run the check again'];
  return callTool('update_plan', { plan: steps.map((step, at) => ({ step, status: statuses[at] })) });
};

export const pictures: readonly DrawnPicture[] = [
  {
    name: 'first-run',
    title: 'The first start',
    about: 'Without a model, Capstan asks for one before the conversation begins.',
    isFirst: true,
    steps: [],
    async play({ sees }) {
      await sees('No model is set up yet.');
    },
  },
  {
    name: 'conversation',
    title: 'A conversation',
    about: 'The model runs the failing check, patches a file, runs the check again and says what was wrong.',
    rows: 36,
    steps: fix,
    play: fixed,
  },
  {
    name: 'approval',
    title: 'A question about a command',
    about: 'A command that needs more than the sandbox allows waits for your answer, with all that a yes would allow.',
    steps: [
      run('npm install --save-dev typescript', {
        sandbox_permissions: 'require_escalated',
        justification: 'The registry of npm cannot be reached from the sandbox.',
      }),
    ],
    async play({ sees, say }) {
      await sees('Context 100% left');
      say('Add TypeScript to the project.');
      await sees('yes, once');
    },
  },
  {
    name: 'plan',
    title: 'A plan',
    about: 'The steps of the plan stand above the composer while the turn runs; Alt+T folds them.',
    steps: [
      answer({ items: [plan('completed', 'in_progress', 'pending')] }),
      run('cat src/slug.mjs'),
      hang({ afterBytes: 0, of: tell('never') }),
    ],
    async play({ sees, say, press, model }) {
      await sees('Context 100% left');
      say('Fix slug() step by step.');
      await model.request(2);
      await sees('slug.mjs');
      await press(altT);
    },
  },
  {
    name: 'context',
    rows: 24,
    title: 'The map of the context window',
    about: 'The command /context shows what fills the window, group by group; each group opens to its texts.',
    steps: fix,
    async play(drawn) {
      await fixed(drawn);
      drawn.say('/context');
      await drawn.sees('Enter opens');
    },
  },
  {
    name: 'changes',
    title: 'What the model was told',
    about: 'The command /changes shows what Capstan told the model in each turn, and why.',
    rows: 20,
    steps: [...fix, tell('No: I may only read now.')],
    async play(drawn) {
      await fixed(drawn);
      drawn.say('/permissions');
      await drawn.sees('2. Read only');
      await drawn.press('2');
      await drawn.turn('May you still write?');
      drawn.say('/changes');
      await drawn.sees('Enter opens');
      await drawn.press(enter);
    },
  },
  {
    name: 'checkpoint',
    rows: 18,
    title: 'A checkpoint',
    about: 'The command /checkpoint shows what a compaction kept, left out and made, and can take it back.',
    steps: [...fix, run("seq -f 'title %g: ok' 1 2000"), tell('All 2,000 titles have an address of their own.')],
    async play(drawn) {
      await fixed(drawn);
      await drawn.turn('What is left?');
      drawn.say('/compact');
      await drawn.sees('Checkpoint 1: about');
      drawn.say('/checkpoint');
      await drawn.sees('Enter opens');
      await drawn.press(enter);
    },
  },
  {
    name: 'rewind',
    rows: 22,
    title: 'Going back',
    about: 'Before anything happens, Capstan shows what going back would change in each file.',
    steps: [...fix, run('echo "Done." > NOTES.md'), tell('The notes are written.')],
    async play(drawn) {
      await fixed(drawn);
      await drawn.turn('Write notes.');
      drawn.say('/rewind');
      await drawn.sees('Go back to before which message?');
      await drawn.press(up, enter);
      await drawn.sees('1. conversation and files');
    },
  },
  {
    name: 'search',
    title: 'A search in the transcript',
    about: 'Ctrl+T shows the whole conversation, and a search marks every place and counts them.',
    steps: [...fix, explain],
    async play(drawn) {
      await fixed(drawn);
      await drawn.turn('Explain this project.');
      await drawn.press(ctrlT, '/', 's', 'l', 'u', 'g', enter);
    },
  },
  {
    name: 'model',
    title: 'The choice of a model',
    about:
      'The command /model lists the models that the provider is known to have, then the efforts of the one you chose.',
    steps: [],
    async play({ sees, say, press }) {
      await sees('Context 100% left');
      say('/model');
      await sees('Models of openai');
      await press(down);
    },
  },
  {
    name: 'full-screen',
    title: 'The full screen',
    about: 'With /tui or --full-screen the conversation takes the whole screen and scrolls by itself.',
    columns: 110,
    rows: 32,
    isFull: true,
    steps: [explain],
    async play({ sees, turn, terminal }) {
      await sees('Context 100% left');
      await turn('Explain this project.');
      terminal.type('Now fix slug(). It should keep 日本語 as it is.');
    },
  },
  {
    name: 'narrow',
    title: 'A narrow terminal',
    about:
      'At 60 columns text wraps at words, tables keep to the width, and the status line leaves out what does not fit.',
    columns: 60,
    rows: 38,
    steps: [explain, ...fix],
    async play(drawn) {
      await drawn.sees('Context 100% left');
      await drawn.turn('Explain this project.');
      await drawn.turn('The check fails. Fix it.');
    },
  },
  {
    name: 'light',
    title: 'A light background',
    about: 'If the terminal reports a light background, Capstan takes colours that can be read on it.',
    rows: 36,
    isLight: true,
    steps: [...fix],
    play: fixed,
  },
];
