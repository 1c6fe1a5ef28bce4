import type { Cell } from '../../src/surfaces/tui/cells/cell.ts';
import { cellOf } from '../../src/surfaces/tui/cells/cell-of.ts';
import { cellOfEvent } from '../../src/surfaces/tui/cells/cell-of-event.ts';
import { exploringCell } from '../../src/surfaces/tui/cells/exploring-cell.ts';
import { runningHooksCell } from '../../src/surfaces/tui/cells/hook-cell.ts';
import { noticeCell } from '../../src/surfaces/tui/cells/notice-cell.ts';
import { reviewCell, reviewStartCell } from '../../src/surfaces/tui/cells/review-cell.ts';
import type { ThreadId, TurnId } from '../../src/protocol/ids.ts';
import type { Question } from '../../src/protocol/question.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import type { CommandItem, ToolCallItem, TurnItem } from '../../src/protocol/turn-item.ts';

const turnId = 'turn-1' as TurnId;
const cwd = '/home/ada/engine';

const command = (script: string, rest: Partial<CommandItem>): CommandItem => ({
  kind: 'command',
  id: 'call-1',
  argv: ['bash', '-lc', script],
  cwd,
  status: 'completed',
  output: '',
  ...rest,
});

const call = (tool: string, rest: Partial<ToolCallItem>): ToolCallItem => ({
  kind: 'tool-call',
  id: 'call-1',
  tool,
  arguments: {},
  status: 'completed',
  ...rest,
});

const numberedLines = (count: number): string =>
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

const question: Question = {
  id: 'question-1',
  callId: 'call-1',
  turnId,
  tool: 'exec_command',
  item: {},
  kind: 'command',
  argv: ['bash', '-lc', 'npm install left-pad'],
  cwd,
  scopes: ['call', 'session', 'rule'],
};

const event = (about: ThreadEvent, context = {}): Cell => {
  const cell = cellOfEvent(about, context);
  if (cell === undefined) throw new Error(`The event ${about.kind} has no cell.`);
  return cell;
};

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

const items: Readonly<Record<string, TurnItem>> = {
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
    output: 'Wall time: 0.3 seconds\nProcess running with session ID 3\nOutput:\nContinue?\n',
  }),
  'background-waited': call('write_stdin', {
    arguments: { session_id: 3, chars: '' },
    output: 'Wall time: 5.0 seconds\nProcess exited with code 0\nOutput:\ndone\n',
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

const unknownItem = { kind: 'hologram', id: 'i', depth: 3, colour: 'blue' } as unknown as TurnItem;

/** A cell of every kind, by name. */
export const sampleCells: Readonly<Record<string, Cell>> = {
  ...Object.fromEntries(Object.entries(items).map(([name, item]) => [name, cellOf(item)])),
  'command-own': cellOf(command('git status', { output: 'On branch main\nnothing to commit', exitCode: 0 }), {
    byUser: true,
  }),
  'command-outside': cellOf(command('npm publish', { status: 'in-progress' }), {
    place: 'outside',
    startedAt: -75_000,
  }),
  exploring: exploringCell([
    command('cat src/mill.ts', { output: 'x', exitCode: 0 }),
    command("sed -n '1,80p' src/card.ts | head -20", { output: 'x', exitCode: 0 }),
    command('ls -la src', { output: 'x', exitCode: 0 }),
    command('rg -n "carry the tens" src 2>/dev/null', { output: 'x', exitCode: 0 }),
    call('read_file', { arguments: { path: 'src/store.ts' } }),
  ]),
  'exploring-running': exploringCell([command('ls', { status: 'in-progress' })]),
  unknown: cellOf(unknownItem),
  refused: event({
    kind: 'call-refused',
    turnId,
    callId: 'c',
    tool: 'exec_command',
    item: command('curl example.org', {}),
    reason: 'Not run: the policy allows no network.',
  }),
  'approval-allowed': event(
    { kind: 'question-answered', turnId, id: 'question-1', callId: 'c', answer: { kind: 'allowed', scope: 'rule' } },
    { question },
  ),
  'approval-declined': event(
    {
      kind: 'question-answered',
      turnId,
      id: 'question-1',
      callId: 'c',
      answer: { kind: 'declined', note: 'Use the vendored copy.' },
    },
    { question },
  ),
  'approval-reviewed': event(
    {
      kind: 'question-answered',
      turnId,
      id: 'question-1',
      callId: 'c',
      answer: {
        kind: 'allowed',
        by: 'review',
        verdict: { risk: 'low', authorization: 'high', rationale: 'The user asked for it.' },
      },
    },
    { question },
  ),
  'hook-running': runningHooksCell({ event: 'PreToolUse', names: ['check.sh', 'lint.sh'] }),
  'hook-blocked': event({
    kind: 'hook-completed',
    turnId,
    run: {
      id: 'h',
      key: 'k',
      event: 'PreToolUse',
      command: 'check.sh',
      status: 'blocked',
      durationMs: 3,
      entries: [{ kind: 'feedback', text: 'Do not touch the store.' }],
    },
  }),
  'hook-context': event({
    kind: 'hook-completed',
    turnId,
    run: {
      id: 'h',
      key: 'k',
      event: 'SessionStart',
      command: 'notes.sh',
      status: 'completed',
      durationMs: 3,
      entries: [{ kind: 'context', text: numberedLines(8) }],
    },
  }),
  'notice-info': noticeCell('info', { message: 'The thread was renamed to "mill".' }),
  'notice-warning': event({
    kind: 'warning',
    outcome: {
      code: 'x',
      message: 'The rules file .capstan/rules has an unknown rule in line 3.',
      next: 'Remove the line.',
    },
  }),
  'notice-error': event({
    kind: 'turn-failed',
    turnId,
    outcome: {
      code: 'unauthorized',
      message: 'The provider refused the key.',
      next: 'Run `capstan login` and try again.',
    },
  }),
  interrupted: event({ kind: 'turn-aborted', turnId }),
  'turn-end': event(
    { kind: 'turn-completed', turnId, usage: {} as never, lastMessage: 'x' },
    {
      end: { durationMs: 72_000, endedAt: new Date(2026, 10, 17, 14, 5).getTime(), words: ['12,345 tokens', '$0.04'] },
    },
  ),
  checkpoint: event({
    kind: 'checkpoint-installed',
    turnId,
    id: 'c',
    report: {
      id: 'c',
      number: 2,
      trigger: 'auto',
      reason: 'context_limit',
      phase: 'mid_turn',
      strategy: 'structured',
      model: 'large',
      tokensBefore: 240_000,
      tokensAfter: 31_000,
      words: { kept: 7, cut: 1, dropped: 0 },
      folded: 180,
      requests: 1,
      usage: {
        input: 240_000,
        cachedInput: 0,
        cacheWrites: 0,
        output: 3000,
        reasoningOutput: 0,
        total: 243_000,
      } as never,
      mended: [],
    },
  }),
  'checkpoint-failed': event({
    kind: 'checkpoint-failed',
    turnId,
    id: 'c',
    threadId: 'thread-1' as ThreadId,
    outcome: {
      code: 'overloaded',
      message: 'The provider is overloaded.',
      next: 'Capstan tries again at the next limit.',
    },
    paused: false,
  }),
  'model-switch': event({
    kind: 'model-switched',
    turnId,
    from: 'large',
    to: 'small',
    changes: [{ field: 'window.tokens', from: 400_000, to: 128_000 }],
  }),
  retry: event({
    kind: 'retrying',
    outcome: {
      code: 'stream-cut',
      message: 'The connection was lost; the request is sent again.',
      next: 'Check the network if this continues.',
    },
    waitMs: 4000,
  }),
  'agent-ended': event({
    kind: 'context',
    turnId,
    itemId: 'i',
    content: 'subagent_notification',
    cause: 'event',
    value: { agentPath: '/root/reader', status: { kind: 'completed', answer: 'Three files open others.' } },
    text: 'Three files open others.\nThey are listed below.',
  }),
  'review-start': reviewStartCell({ kind: 'base', branch: 'main' }),
  review: reviewCell({
    findings: [
      {
        title: 'The carry is lost',
        body: 'When the `ninth` wheel turns, the carry is **dropped**.',
        priority: 1,
        place: { path: `${cwd}/src/mill.ts`, from: 88, to: 90 },
      },
      { title: '[P3] A name says little', body: '' },
    ],
    correctness: 'patch is incorrect',
    explanation: 'One fault, one wish.',
  }),
};
