import type { CommandItem, ToolCallItem, TurnItem } from '../../src/protocol/turn-item.ts';

export const cwd = '/home/ada/engine';

export const command = (script: string, rest: Partial<CommandItem>): CommandItem => ({
  kind: 'command',
  id: 'call-1',
  argv: ['bash', '-lc', script],
  cwd,
  status: 'completed',
  output: '',
  ...rest,
});

export const call = (tool: string, rest: Partial<ToolCallItem>): ToolCallItem => ({
  kind: 'tool-call',
  id: 'call-1',
  tool,
  arguments: {},
  status: 'completed',
  ...rest,
});

export const numberedLines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at + 1} of the output`).join('\n');

const testRun = [
  'collected 120 tests',
  ...Array.from({ length: 30 }, (_, at) => `ok ${at + 1} - gear ${at + 1} turns`),
  'not ok 31 - lever moves',
  '  AssertionError: expected 3 to equal 4',
  ...Array.from({ length: 40 }, (_, at) => `ok ${at + 32} - wheel ${at + 1} turns`),
  'Error: the mill stopped at src/mill.ts:88',
  ...Array.from({ length: 12 }, (_, at) => `  at frame ${at + 1} (src/mill.ts:${at + 10})`),
  '118 passed, 2 failed',
].join('\n');

const answer = [
  '## What changed',
  '',
  'The **mill** now reads its `plan` in one pass, as [the notes](https://example.org/notes) ask. See [mill](/home/ada/engine/src/mill.ts#L88-L90).',
  '',
  '1. Read the cards',
  '   - punched ones',
  '   - blank ones',
  '2. Turn the wheels',
  '',
  '| Part | Turns | Why |',
  '|:--|--:|:--|',
  '| wheel | 12 | it carries the tens of the column beside it |',
  '| lever | 3 | it locks |',
  '',
  '> Nothing else moved.',
  '',
  '```ts',
  'const turns = plan.read("cards"); // 12',
  '```',
].join('\n');

const diff = [
  '@@ -86,4 +86,5 @@ export function mill() {',
  ' const store = open();',
  '-const turns = 3;',
  '+const turns = plan.read("cards");',
  '+/* the wheels follow */',
  ' return store;',
  '@@ -120,2 +121,2 @@',
  '-\tclose(store) // 漢字',
  '+\tawait close(store) // 漢字 and a comment that is long enough to need a second row on most screens',
  '\\ No newline at end of file',
].join('\n');

/** An item of every kind, by name. */
export const sampleItems: Readonly<Record<string, TurnItem>> = {
  user: {
    kind: 'user-message',
    id: 'i',
    text: 'Make the mill in @src/mill.ts read its plan in one pass.\nKeep the tests green, please.',
    images: ['data:image/png;base64,AA'],
  },
  answer: { kind: 'agent-message', id: 'i', text: answer },
  'proposed-plan': {
    kind: 'agent-message',
    id: 'i',
    text: 'Here is how.\n\n<proposed_plan>\n# Plan\n\n1. Read\n2. Turn\n</proposed_plan>\n\nShall I begin?',
    plan: '# Plan\n\n1. Read\n2. Turn',
  },
  reasoning: {
    kind: 'reasoning',
    id: 'i',
    summary: ['**Looking at the mill**\n\nIt reads the plan twice.', '**Fixing it**'],
  },
  'command-running': command('npm test', { status: 'in-progress', output: `${numberedLines(9)}\n` }),
  'command-ok': command('npm run build', { output: numberedLines(30), exitCode: 0, durationMs: 2100 }),
  'command-short': command("printf '\\033[32mgreen\\033[0m plain\\n'", {
    output: '\u001B[32mgreen\u001B[0m plain\n',
    exitCode: 0,
    durationMs: 15,
  }),
  'command-silent': command('mkdir -p out', { exitCode: 0, durationMs: 3 }),
  'command-failed': command('npm test', { status: 'failed', output: testRun, exitCode: 1, durationMs: 65_000 }),
  'command-long': command(
    'set -e\nfor part in wheel lever card; do\n  echo "$part"\n  make "$part"\ndone\necho finished',
    { output: 'wheel\nlever\ncard\nfinished', exitCode: 0 },
  ),
  'command-timed-out': command('sleep 1000', { status: 'failed', unfinished: 'timed-out', durationMs: 600_000 }),
  'command-declined': command('rm -rf out', { status: 'declined' }),
  patch: {
    kind: 'file-change',
    id: 'i',
    status: 'completed',
    changes: [{ path: `${cwd}/src/mill.ts`, kind: 'update', diff }],
  },
  'patch-files': {
    kind: 'file-change',
    id: 'i',
    status: 'completed',
    changes: [
      {
        path: `${cwd}/src/old.py`,
        kind: 'update',
        movePath: `${cwd}/src/new.py`,
        diff: '@@ def turn():\n-    return 1\n+    return 2',
      },
      { path: '/home/ada/notes.md', kind: 'delete' },
      { path: `${cwd}/src/card.ts`, kind: 'add', diff: '+export const card = 1;\n+' },
    ],
  },
  'patch-failed': {
    kind: 'file-change',
    id: 'i',
    status: 'failed',
    changes: [{ path: `${cwd}/src/mill.ts`, kind: 'update', diff: '@@\n-const turns = 9;\n+const turns = 3;' }],
    problem: 'The lines to replace were not found in src/mill.ts:\nconst turns = 9;',
  },
  plan: {
    kind: 'plan',
    id: 'i',
    steps: [
      { text: 'Read the cards', status: 'completed' },
      { text: 'Turn the wheels, each of which carries the tens of the one beside it', status: 'in-progress' },
      { text: 'Print', status: 'pending' },
    ],
  },
  'mcp-call': call('find_issue', {
    server: 'tracker',
    arguments: { query: 'mill', limit: 3 },
    output: numberedLines(12),
  }),
  'mcp-failed': call('find_issue', {
    server: 'tracker',
    arguments: { query: 'mill' },
    status: 'failed',
    output: 'The server ended: no route to host.',
  }),
  call: call('current_time', { output: '2026-11-17T14:00:00Z' }),
  'web-search': { kind: 'web-search', id: 'i', query: 'difference engine carry mechanism' },
  'web-page': { kind: 'web-search', id: 'i', query: 'https://example.org/engine' },
  'image-view': { kind: 'image-view', id: 'i', path: `${cwd}/out/plot.png` },
  'image-problem': { kind: 'image-view', id: 'i', path: `${cwd}/out/plot.png`, problem: 'The file is no picture.' },
  'image-generation': {
    kind: 'image-generation',
    id: 'i',
    status: 'completed',
    path: '/home/ada/pictures/1.png',
    prompt: 'a brass wheel',
  },
  'agent-spawned': call('spawn_agent', {
    arguments: {
      name: 'reader',
      agent_type: 'explorer',
      model: 'small',
      message: 'Read all of src/ and list what opens files.',
    },
    output: '{"agent_path":"/root/reader"}',
  }),
  'agent-waited': call('wait_agent', {
    arguments: { targets: ['reader', 'writer'] },
    output: '{"status":{"/root/reader":"completed","/root/writer":"running"}}',
  }),
  'agent-waiting': call('wait_agent', { arguments: { targets: ['reader'] }, status: 'in-progress' }),
  'background-typed': call('write_stdin', {
    arguments: { session_id: 3, chars: 'yes\n' },
    output: 'Continue?\n',
  }),
  'background-waited': call('write_stdin', {
    arguments: { session_id: 3, chars: '' },
    output: 'done\n',
  }),
  questions: call('request_user_input', {
    arguments: {
      questions: [
        {
          id: 'metal',
          header: 'Metal',
          question: 'Which metal should the wheels be of?',
          options: [
            { label: 'Brass', description: 'As before.' },
            { label: 'Steel', description: 'Harder.' },
          ],
        },
        {
          id: 'size',
          header: 'Size',
          question: 'How large?',
          options: [
            { label: 'Small', description: '' },
            { label: 'Large', description: '' },
          ],
        },
      ],
    },
    output: '{"answers":{"metal":{"answers":["Brass"]},"size":{"answers":[]}}}',
  }),
};

/** An item of an engine that is newer than the screen. */
export const unknownItem = { kind: 'hologram', id: 'i', depth: 3, colour: 'blue' } as unknown as TurnItem;
