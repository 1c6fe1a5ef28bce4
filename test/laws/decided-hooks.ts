import { truncateMiddle } from '../../src/core/fragments/text/truncate.ts';
import { createHookRunner, StartHookRecord } from '../../src/adapters/hooks/run-hooks.ts';
import type { HookDefinition } from '../../src/adapters/hooks/hook-definitions.ts';
import type { Hooks } from '../../src/ports/hooks.ts';
import type { ProgramEnd } from '../../src/ports/commands.ts';
import { type HookEvent, hookEvents } from '../../src/protocol/thread-event.ts';
import { type JsonObject, objectAt, parseJsonObject, stringAt } from '../../src/protocol/json.ts';
import type { ThreadParts } from '../../src/engine/thread/thread-parts.ts';
import { byHook } from '../harness/watched-thread.ts';

/** The words of the hooks of a random thread, now and when the session started last. */
export class HooksOfWorld {
  /** The texts that the model is to know; undefined while the open process has no hooks. */
  session: readonly string[] | undefined;
  /** Programs that ran. */
  runs = 0;
  readonly #now: () => readonly string[];

  /** `now`: what they say when a session starts. */
  constructor(now: () => readonly string[]) {
    this.#now = now;
  }

  /** Hooks for every event, whose programs say the same to the same input, but for compactions. */
  open({ ids, clock }: Pick<ThreadParts, 'ids' | 'clock'>): Hooks {
    this.session = [];
    return createHookRunner({
      starts: new StartHookRecord(),
      hooks: [...hookEvents.map((event) => definition(event)), definition('PostToolUse', { isAsync: true })],
      patterns: new Map(),
      run: async ({ input }) => {
        this.runs++;
        const given = parseJsonObject(input) ?? {};
        return this.#answer(stringAt(given, 'hook_event_name') as HookEvent, given);
      },
      shell: '/bin/sh',
      variables: () => ({}),
      clock,
      ids,
      texts: { cut: (text, limit) => truncateMiddle(text, { mode: 'tokens', limit }), close: () => {} },
    });
  }

  #answer(event: HookEvent, input: JsonObject): ProgramEnd {
    const own = (more: JsonObject): ProgramEnd => says({ hookSpecificOutput: { hookEventName: event, ...more } });
    switch (event) {
      case 'SessionStart':
        this.session = this.#now();
        return exited(0, this.session.join('\n\n'));
      case 'UserPromptSubmit':
        return choose(stringAt(input, 'prompt') ?? '', 7, [
          () => says({ decision: 'block', reason: 'Not this.' }),
          () => exited(0, 'Mind the time. </hook_context>'),
          () => exited(7, ''),
        ]);
      case 'PreToolUse': {
        const command = stringAt(objectAt(input, 'tool_input'), 'command') ?? '';
        return choose(command, 6, [
          () => exited(2, '', 'Not that.'),
          () => own({ permissionDecision: 'allow', updatedInput: { command: command + byHook } }),
          () => own({ permissionDecision: 'ask', updatedInput: { command: command + byHook } }),
          () => own({ permissionDecision: 'ask' }),
          () => own({ permissionDecision: 'allow', additionalContext: 'Mind it.' }),
        ]);
      }
      case 'PermissionRequest':
        return choose(JSON.stringify(input['tool_input']), 4, [
          () => own({ decision: { behavior: 'allow' } }),
          () => own({ decision: { behavior: 'deny', message: 'By me.' } }),
        ]);
      case 'PostToolUse':
        return choose(JSON.stringify(input['tool_response']), 4, [
          () => own({ additionalContext: 'It is done.' }),
          () => own({ updatedToolOutput: 'something else' }),
          () => says({ decision: 'block', reason: 'Forget it.' }),
        ]);
      case 'Stop':
        if (input['stop_hook_active'] === true) return exited(0, '');
        return choose(stringAt(input, 'last_assistant_message') ?? '', 4, [
          () => says({ decision: 'block', reason: 'Look again. <b>' }),
        ]);
      case 'PreCompact':
        return this.runs % 5 === 0 ? says({ continue: false, stopReason: 'Not now.' }) : exited(0, '');
      default:
        return exited(0, '');
    }
  }
}

/** One of these by the length of a text, or silence. */
function choose(text: string, of: number, answers: readonly (() => ProgramEnd)[]): ProgramEnd {
  return answers[text.length % of]?.() ?? exited(0, '');
}

function says(answer: JsonObject): ProgramEnd {
  return exited(0, JSON.stringify(answer));
}

function exited(exitCode: number, stdout: string, stderr = ''): ProgramEnd {
  return { kind: 'exited', exitCode, stdout, stderr, isCut: false };
}

function definition(event: HookEvent, more: Partial<HookDefinition> = {}): HookDefinition {
  return {
    key: `/home/hooks.json:${event}:${more.isAsync === true ? 1 : 0}:0`,
    event,
    command: event,
    timeoutSeconds: 1,
    isAsync: false,
    failClosed: false,
    hash: '',
    source: { path: '/home/hooks.json', owner: 'user' },
    ...more,
  };
}
