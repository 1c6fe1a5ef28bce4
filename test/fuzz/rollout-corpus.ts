import type { JsonObject } from '../../src/protocol/json.ts';
import { words } from '../../src/protocol/user-input.ts';
import { answer, callTool, reason, say, startScriptedModel } from '../../src/testing/index.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import { WatchedThread } from '../harness/watched-thread.ts';
import { firstWorld } from '../harness/world.ts';
import { isUsers, rewriteFor } from '../harness/world-rewrite.ts';

/** A thread's id and the lines of its file, as bytes without newlines. */
export interface RolloutSample {
  readonly id: string;
  readonly lines: readonly Buffer[];
}

/** A thread of ours with every type of line in it: steps, calls, a checkpoint, a rollback, other settings, a dead turn. */
export async function sampleRollout(): Promise<RolloutSample> {
  let disk = new SimulatedDisk();
  const placed = () => ({ home: '/home', files: disk, locks: disk.locks });
  const script = [
    answer({ items: [reason('Hm.'), callTool('exec_command', { cmd: 'echo é' }), callTool('no_such_tool', {})] }),
    answer({ items: [say('Done. ✓')] }),
    answer({ items: [say('More.')] }),
    answer({ items: [callTool('update_plan', { plan: [{ step: 'one', status: 'pending' }] })] }),
    answer({ items: [say('Planned.')] }),
    answer({ items: [callTool('exec_command', { cmd: 'sleep 60' })] }),
  ];
  const model = await startScriptedModel(script);
  const thread = new WatchedThread(model.url, placed());
  const turn = async (text: string): Promise<void> => {
    await (await thread.open()).run({ input: words(text), signal: new AbortController().signal });
  };
  try {
    await turn('hello');
    const state = (await thread.open()).state;
    await thread.write([rewriteFor('gpt-5.5', state, isUsers), ...foreignLines()]);
    thread.world = { ...firstWorld, cwd: '/elsewhere', tools: ['update_plan'], personality: 'friendly' };
    await turn('again');
    await turn('and again');
    await thread.write([{ type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } }]);
    thread.onCommand = () => void (disk = disk.kill());
    await turn('the last').catch(() => {});
  } finally {
    await model.close();
  }
  const path = [...disk.names().keys()].find((name) => name.endsWith('.jsonl'))!;
  const text = Buffer.from(disk.contents(path)!).toString('utf8');
  return {
    id: thread.id!,
    lines: text
      .trimEnd()
      .split('\n')
      .map((line) => Buffer.from(line)),
  };
}

/** Long enough to be left unread. */
const longOutput = 'é "quoted"\n'.repeat(400);

/** Lines that other programs write into such files. */
function foreignLines(): readonly { readonly type: string; readonly payload: JsonObject }[] {
  const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'theirs' }] };
  return [
    { type: 'response_item', payload: message },
    { type: 'response_item', payload: { type: 'reasoning', summary: [], encrypted_content: 'x' } },
    { type: 'response_item', payload: { type: 'local_shell_call', call_id: 'c1', status: 'completed', action: {} } },
    { type: 'response_item', payload: { type: 'function_call_output', call_id: 'c1', output: longOutput } },
    { type: 'response_item', payload: { type: 'web_search_call', status: 'completed' } },
    { type: 'event_msg', payload: { type: 'token_count', info: null, rate_limits: {} } },
    { type: 'event_msg', payload: { type: 'turn_aborted', turn_id: 'theirs', reason: 'interrupted' } },
    { type: 'compacted', payload: { message: 'a summary' } },
    { type: 'token_usage_record', payload: { total: 1 } },
  ];
}
