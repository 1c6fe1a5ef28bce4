import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Item } from '../../src/protocol/item.ts';
import { answer, callTool, reason, type RecordedRequest, say, type ScriptStep } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

export type Auth = 'api-key' | 'chatgpt';

export interface VariedThread {
  readonly auth: Auth;
  /** True if the provider makes checkpoints. */
  readonly compacts: boolean;
  readonly overrides: readonly string[];
  /** The answer to a request for a checkpoint. */
  readonly checkpoint: ScriptStep;
}

const picture = { path: 'dot.png', dataUrl: 'data:image/png;base64,iVBORw0KGgo=' };
const shell: Item = {
  type: 'local_shell_call',
  id: 'lsh_1',
  call_id: 'shell_1',
  status: 'completed',
  action: { type: 'exec', command: ['ls'] },
};
const shellOutput: Item = { type: 'function_call_output', id: 'fco_1', call_id: 'shell_1', output: 'dot.png' };
const parts: Item = {
  type: 'message',
  id: 'msg_parts',
  role: 'user',
  content: ['First part.', 'Second part.'].map((text) => ({ type: 'input_text', text })),
};

/**
 * A thread with the tier `fast` after five turns: text; text in parts; a call; a picture and text; a shell command of a
 * program, and thoughts at the end.
 */
export async function variedTurns({ auth, compacts, overrides, checkpoint }: VariedThread): Promise<LiveThread> {
  const work: readonly ScriptStep[] = [
    answer({ items: [say(`One. ${'The parser reads a line at a time. '.repeat(400)}`)] }),
    answer({ items: [say('Two.')] }),
    answer({ items: [callTool('exec_command', { cmd: 'echo three' })] }),
    answer({ items: [say('Three.')] }),
    answer({ items: [say('Four.')] }),
    answer({ items: [reason('Nearly there.'), say('Five.')] }),
  ];
  let steps = 0;
  const live = await LiveThread.in((request) =>
    isForCheckpoint(request) ? checkpoint : (work[steps++] ?? answer({ items: [say('More.')] })),
  );
  const { home } = live.place;
  const table = `\n[model_providers.known]\nserver_capabilities.remote_compaction = ${compacts}\nbase_url = "${live.model.url}"\n`;
  const means = auth === 'chatgpt' ? 'requires_openai_auth = true\n' : 'env_key = "THE_KEY"\n';
  appendFileSync(join(home, 'config.toml'), `${table}${means}supports_websockets = false\n`);
  const tokens = { id_token: 'id', access_token: 'access', refresh_token: 'refresh', account_id: 'account' };
  if (auth === 'chatgpt') writeFileSync(join(home, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: null, tokens }));
  await live.open({
    env: { PATH: process.env['PATH'], CAPSTAN_HOME: home, THE_KEY: 'sk-key' },
    config: ['model_provider="known"', 'service_tier="fast"', ...overrides],
  });
  await live.turn('Build the parser.');
  await live.thread.inject(parts);
  await live.turn('Mind both parts.');
  await live.turn('Run it.');
  await live.turn('What is in the picture?', {
    input: { author: 'user', text: 'What is in the picture?', images: [picture] },
  });
  await live.thread.inject(shell);
  await live.thread.inject(shellOutput);
  await live.turn('Go on.');
  return live;
}

function isForCheckpoint({ body, path }: RecordedRequest): boolean {
  const input = body['input'] as readonly Item[];
  return path.endsWith('/compact') || body['tool_choice'] === 'none' || input.at(-1)?.type === 'compaction_trigger';
}

/** The items that the five turns leave in a request, by type and role. */
export const variedInput = [
  'message developer',
  'message user',
  'message user',
  'message assistant',
  'message user',
  'message user',
  'message assistant',
  'message user',
  'function_call',
  'function_call_output',
  'message assistant',
  'message user',
  'message assistant',
  'local_shell_call',
  'function_call_output',
  'message user',
];
