import { describe, expect, it } from 'vitest';
import type { HookEvent } from '../../protocol/thread-event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { type HookAnswer, parseHookAnswer } from './hook-answers.ts';

const limits = { timeoutSeconds: 600, outputBytes: 1_000_000 };

function exits(event: HookEvent, { code = 0, stdout = '', stderr = '', isCut = false }): HookAnswer {
  return parseHookAnswer(event, { kind: 'exited', exitCode: code, stdout, stderr, isCut }, limits);
}

function prints(event: HookEvent, answer: JsonObject): HookAnswer {
  return exits(event, { stdout: JSON.stringify(answer) });
}

function own(event: HookEvent, more: JsonObject): HookAnswer {
  return prints(event, { hookSpecificOutput: { hookEventName: event, ...more } });
}

describe('an exit code', () => {
  it.each(['PreToolUse', 'PermissionRequest', 'PostToolUse', 'UserPromptSubmit', 'Stop', 'SubagentStop'] as const)(
    'of 2 with a reason is a no at %s, and without one a failure',
    (event) => {
      expect(exits(event, { code: 2, stderr: ' No.\n' })).toMatchObject({ status: 'blocked', blocked: 'No.' });
      expect(exits(event, { code: 2, stderr: ' \n' })).toMatchObject({ status: 'failed' });
    },
  );

  it.each(['SessionStart', 'PreCompact', 'PostCompact', 'SessionEnd', 'SubagentStart'] as const)(
    'of 2 is a failure at %s, where nothing can be blocked',
    (event) => {
      const answer = exits(event, { code: 2, stderr: 'No.' });
      expect([answer.status, answer.blocked]).toEqual(['failed', undefined]);
    },
  );

  it.each([1, 3, 127, 137])('of %i is a failure, whatever was printed', (code) => {
    const stdout = '{"decision":"block","reason":"No."}';
    expect(exits('PreToolUse', { code, stdout })).toEqual({
      status: 'failed',
      entries: [{ kind: 'error', text: `It exited with code ${code}.` }],
    });
  });
});

describe('text', () => {
  it('is context where a session or a turn begins, a failure where one ends, and nothing elsewhere', () => {
    for (const event of ['SessionStart', 'UserPromptSubmit', 'SubagentStart'] as const) {
      expect(exits(event, { stdout: ' words\n' })).toMatchObject({ status: 'completed', context: 'words' });
    }
    for (const event of ['PreToolUse', 'PostToolUse', 'PermissionRequest', 'PreCompact'] as const) {
      expect(exits(event, { stdout: 'words' })).toEqual({ status: 'completed', entries: [] });
    }
    expect(exits('Stop', { stdout: 'words' }).status).toBe('failed');
  });

  it.each(['{', '[', '[1]', '{"a":1', '{"__proto__": 1}', '{} {}'])(
    'that begins like JSON and is none (%s) is a failure',
    (stdout) => {
      for (const event of ['UserPromptSubmit', 'PreToolUse', 'Stop'] as const) {
        expect(exits(event, { stdout }).status).toBe('failed');
      }
    },
  );

  it('that was cut is reported as too long', () => {
    expect(exits('PreToolUse', { stdout: '{}', isCut: true })).toEqual({
      status: 'failed',
      entries: [{ kind: 'error', text: 'It printed too much: an answer in JSON may have 1 MB.' }],
    });
  });
});

describe('an answer in JSON', () => {
  it('has no effect of an event that cannot have it', () => {
    expect(prints('PreToolUse', { continue: false }).status).toBe('failed');
    expect(prints('PermissionRequest', { decision: 'block', reason: 'No.' }).status).toBe('failed');
    expect(prints('PreCompact', { decision: 'block', reason: 'No.' }).status).toBe('failed');
    expect(own('PreToolUse', { updatedToolOutput: 'x' }).status).toBe('failed');
    expect(own('Stop', { additionalContext: 'x' }).status).toBe('failed');
    expect(prints('PreToolUse', { hookSpecificOutput: { hookEventName: 'Stop' } }).status).toBe('failed');
    expect(prints('SubagentStart', { continue: false })).toMatchObject({ status: 'completed' });
    expect(prints('SessionEnd', { continue: false, odd: 1 })).toEqual({ status: 'completed', entries: [] });
  });

  it.each([
    ['a decision that is none', { permissionDecision: 'maybe' }],
    ['an input that is no table', { permissionDecision: 'allow', updatedInput: 'ls' }],
    ['an input without a decision', { updatedInput: { command: 'ls' } }],
    ['a member that is unknown', { permissionDecisions: 'deny' }],
  ])('about a call with %s is a failure', (_name, more) => {
    const answer = own('PreToolUse', more);
    expect([answer.status, answer.decision, answer.updatedInput]).toEqual(['failed', undefined, undefined]);
  });

  it.each([
    { updatedInput: {} },
    { updatedPermissions: [] },
    { interrupt: true, behavior: 'deny' },
    { behavior: 'sure' },
    {},
  ])('to a question with %j is a failure', (decision) => {
    expect(own('PermissionRequest', { decision })).toMatchObject({ status: 'failed' });
  });

  it('that says no keeps its context and its warning', () => {
    const answer = prints('PreToolUse', {
      systemMessage: 'Look.',
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'No.',
        additionalContext: 'Use make.',
      },
    });
    expect(answer).toEqual({
      status: 'blocked',
      blocked: 'No.',
      context: 'Use make.',
      entries: [
        { kind: 'warning', text: 'Look.' },
        { kind: 'feedback', text: 'No.' },
      ],
    });
  });
});

it.each(['timed-out', 'aborted'] as const)('a program that %s has failed', (kind) => {
  expect(parseHookAnswer('PreToolUse', { kind }, limits)).toMatchObject({ status: 'failed' });
});
