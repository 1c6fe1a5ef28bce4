import { activeTokens } from '../../src/core/history/window-usage.ts';
import { responsesEncoder } from '../../src/adapters/model/responses/encode.ts';
import type { TurnId } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { type Line, type LineDraft, lineType } from '../../src/protocol/line.ts';
import { noUsage } from '../../src/protocol/usage.ts';
import { decodeLine } from '../../src/adapters/rollout/lines/line-format.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { planRequest, promptFor } from '../../src/core/state/plan-request.ts';
import { emptyThreadState, type ThreadState } from '../../src/core/state/thread-state.ts';
import { exchangesOf } from '../history/exchange.ts';
import { rolloutText } from '../history/rollout.ts';

const thread = { id: '019b8d00-1111-7000-8000-000000000001', cwd: '/workspace', provider: 'scripted' };
const turnId = thread.id as TurnId;
const instructions = 'Do what the user asks, and say what you did. '.repeat(200);
const tools = ['exec_command', 'apply_patch', 'update_plan', 'view_image'].map((name) => ({
  type: 'function',
  name,
  description: instructions.slice(0, 1000),
  parameters: { type: 'object', properties: {} },
}));
const options = {
  model: 'gpt-5.5',
  effort: 'high',
  parallelToolCalls: true,
  cacheKey: thread.id,
  labels: { session_id: thread.id, thread_id: thread.id, turn_id: turnId },
};
const counted = { ...noUsage, input: 10_000, output: 100, total: 10_100 };

/** A thread in memory, without disk, model and tools: what is left of a step is the work on its context. */
export class GrowingThread {
  readonly #encoder = responsesEncoder();
  #state: ThreadState = emptyThreadState;
  #steps = 0;

  constructor(historyBytes: number) {
    for (const text of rolloutText(thread, exchangesOf(historyBytes)).trimEnd().split('\n')) {
      const line = decodeLine(Buffer.from(text));
      if (typeof line !== 'string') this.#fold(line);
    }
  }

  /** The model asks for a command, and it prints a word. */
  grow(): void {
    const call = `call_${this.#steps}`;
    this.#item({ type: 'function_call', id: `fc_${call}`, name: 'exec_command', arguments: '{}', call_id: call });
    this.#item({ type: 'function_call_output', id: `fco_${call}`, call_id: call, output: 'done' });
  }

  /** The next request: projected, held against the one before, recorded, encoded; and the window looked at. */
  step(): { readonly body: readonly Uint8Array[]; readonly tokens: number } {
    this.#steps += 1;
    const asked = { turnId, step: this.#steps, encoder: this.#encoder.version, modalities: ['text'], options };
    const { record, drafts } = planRequest(this.#state, asked, tools);
    for (const draft of drafts) this.#fold(draft);
    const body = this.#encoder.body(promptFor(this.#state, record));
    const { history } = this.#state;
    const newest = { kind: 'counted', usage: counted, upTo: history.length } as const;
    const { tokens } = activeTokens({ history, instructions, tools, newest, reasoningCounted: false });
    return { body, tokens };
  }

  #item(payload: JsonObject): void {
    this.#fold({ type: lineType.responseItem, payload });
  }

  #fold(draft: LineDraft): void {
    const line: Line = { timestamp: '', ...draft };
    this.#state = reduce(this.#state, line);
  }
}
