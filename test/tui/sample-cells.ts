import { headerCell, noticeCell, quietCell } from '../../src/surfaces/tui/transcript/cells/notice-cells.ts';
import { cardCell } from '../../src/surfaces/tui/transcript/cells/card-cell.ts';
import type { Cell } from '../../src/surfaces/tui/transcript/cells/cell.ts';
import { eventCell, itemCell } from '../../src/surfaces/tui/transcript/cells/item-and-event-cells.ts';
import { requestChangeLine } from '../../src/surfaces/tui/transcript/change-entries.ts';
import { exploringCell } from '../../src/surfaces/tui/transcript/cells/exploring-cell.ts';
import { runningHooksCell } from '../../src/surfaces/tui/transcript/cells/hook-cells.ts';
import { listedCommandCell } from '../../src/surfaces/tui/commands/background-commands.ts';
import { reviewCell, reviewStartCell } from '../../src/surfaces/tui/transcript/cells/review-cells.ts';
import type { ThreadId, TurnId } from '../../src/protocol/ids.ts';
import { version } from '../../src/protocol/version.ts';
import type { Question } from '../../src/protocol/question.ts';
import type { PrefixBrokenEvent, ThreadEvent } from '../../src/protocol/thread-event.ts';
import { call, command, cwd, numberedLines, sampleItems, unknownItem } from './sample-items.ts';

const turnId = 'turn-1' as TurnId;
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
  const cell = eventCell(about, context);
  if (cell === undefined) throw new Error(`The event ${about.kind} has no cell.`);
  return cell;
};

const lostCache: PrefixBrokenEvent = {
  kind: 'prefix-broken',
  turnId,
  step: 0,
  keptTokens: 1079,
  breaks: [
    { kind: 'tools', added: ['mcp__github__search'], removed: [], changed: ['exec_command'], tokens: 31_000 },
    { kind: 'entry', index: 4, what: 'changed', tokens: 12_000 },
  ],
};

const header = headerCell({ model: 'gpt-5.5', provider: 'scripted', cwd, policy: 'workspace-write, on-request' });

/** A cell of every kind, by name. */
export const sampleCells: Readonly<Record<string, Cell>> = {
  ...Object.fromEntries(Object.entries(sampleItems).map(([name, item]) => [name, itemCell(item)])),
  // The header without the present version.
  header: { rows: (look) => header.rows(look).map((row) => row.replace(version, '0.0.0')) },
  'command-listed': listedCommandCell({
    name: 'Background terminal 3',
    argv: ['bash', '-lc', 'npm run watch -- --all\necho ended'],
    printed: numberedLines(8),
  }),
  'command-own': itemCell(
    command('git status', { byUser: true, output: 'On branch main\nnothing to commit', exitCode: 0 }),
  ),
  'command-own-failed': itemCell(
    command('false', { byUser: true, status: 'failed', output: '', exitCode: 1, durationMs: 12 }),
  ),
  'patch-called': itemCell({
    kind: 'tool-call',
    id: 'c',
    tool: 'apply_patch',
    arguments: {
      input:
        '*** Begin Patch\n*** Update File: src/mill.ts\n@@ carry()\n const a = 1;\n-const b = 2;\n+const b = 3;\n*** End Patch',
    },
    status: 'completed',
    output: 'Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM src/mill.ts\n',
  }),
  'command-outside': itemCell(command('npm publish', { status: 'in-progress' }), {
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
  unknown: itemCell(unknownItem),
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
  card: cardCell({
    title: 'Card',
    rows: [
      { name: 'Model', value: 'gpt-5.5 (high)' },
      {
        name: 'A name that is long',
        value: 'short',
        details: ['A detail below it that needs more than one row of a narrow screen.'],
      },
      { name: 'Hostile', value: 'a\u001B[2Jb\nc' },
    ],
    notes: ['A note below all rows.'],
  }),
  'hook-running': runningHooksCell({ event: 'PreToolUse', names: ['check.sh', 'lint.sh'] }, -300),
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
  'turn-suspended': event({ kind: 'turn-suspended', turnId } as ThreadEvent),
  'turn-without-answer': event({ kind: 'turn-completed', turnId, usage: {} as never }),
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
  'model-switch-cost': quietCell(
    requestChangeLine({
      kind: 'switch',
      event: { kind: 'model-switched', turnId, from: 'large', to: 'small', changes: [] },
      prefix: { ...lostCache, breaks: [{ kind: 'setting', name: 'model', tokens: 31_000 }] },
    }),
  ),
  'prefix-broken': event(lostCache),
  'retry-again': quietCell(
    requestChangeLine({
      kind: 'retry',
      tokens: 31_000,
      events: [1, 2].map((attempt) => ({
        kind: 'retrying',
        outcome: {
          code: 'overloaded',
          message: `The provider is overloaded. Trying again in 4 seconds (${attempt} of 5).`,
          next: 'Wait, or choose another model.',
        },
        reason: 'The provider is overloaded.',
        waitMs: 4000,
        attempt,
        of: 5,
      })),
    }),
  ),
  retry: event({
    kind: 'retrying',
    outcome: {
      code: 'stream-cut',
      message: 'The connection was lost. Trying again in 4 seconds (1 of 5).',
      next: 'Check the network if this continues.',
    },
    reason: 'The connection was lost.',
    waitMs: 4000,
    attempt: 1,
    of: 5,
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
