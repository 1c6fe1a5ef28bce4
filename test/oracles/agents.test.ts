import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type JsonObject, parseJsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, type RecordedRequest, say, type ScriptStep } from '../../src/testing/index.ts';
import type { Finished, Place } from '../harness/run-capstan.ts';
import { runCodex } from './codex.ts';
import { textsOf } from './items.ts';
import { runCapstan, scene } from './scene.ts';

type Run = (place: Place, ...words: readonly string[]) => Promise<Finished>;

const task = 'TASK: count the files.';
const more = 'And the folders?';

function itemsOf({ body }: RecordedRequest): readonly JsonObject[] {
  return body['input'] as unknown as readonly JsonObject[];
}

function isAgent(request: RecordedRequest): boolean {
  const asked = itemsOf(request).filter(({ role }) => role === 'user');
  return textsOf(asked).includes(task);
}

const outputsOf = (request: RecordedRequest): readonly string[] =>
  itemsOf(request).flatMap(({ type, output }) => (type === 'function_call_output' ? [String(output)] : []));

/** A model that starts an agent, waits for it, gives it more, waits again and closes it, by the names of each program. */
function talk(request: RecordedRequest): ScriptStep {
  if (isAgent(request)) {
    const isSecond = textsOf(itemsOf(request)).includes(more);
    return answer({ items: [say(isSecond ? 'Two folders.' : 'Three files.')] });
  }
  const { tools = [] } = request.body as unknown as { readonly tools?: readonly JsonObject[] };
  const isCapstan = tools.some(({ name }) => name === 'spawn_agent');
  const outputs = outputsOf(request);
  const target = parseJsonObject(outputs[0] ?? '')?.['agent_id'] ?? 'none';
  const calls: readonly (readonly [string, JsonObject])[] = [
    ['spawn_agent', { message: task }],
    ['wait_agent', { targets: [target] }],
    ['send_input', { target, message: more }],
    ['wait_agent', { targets: [target] }],
    ['close_agent', { target }],
    ['send_input', { target, message: 'Hello?' }],
  ];
  const next = calls[outputs.length];
  if (next === undefined) return answer({ items: [say('Done.')] });
  const call = callTool(next[0], next[1], `call_${outputs.length}`);
  return answer({ items: [isCapstan ? call : { ...call, namespace: 'multi_agent_v1' }] });
}

/** Without ids and without what a path or a nickname is. */
function plain(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replace(/"agent_path":"[^"]*"/, '"agent_path":"PATH"')
    .replace(/"nickname":"[^"]*"/, '"nickname":"NAME"')
    .replace(/\/root\/\w+/g, 'PATH');
}

async function play(run: Run) {
  const { model, place } = await scene(talk);
  appendFileSync(join(place.home, 'config.toml'), '\n[features]\nmulti_agent = true\n');
  const { code } = await run(place, '-s', 'read-only', 'go');
  const agents = model.requests.filter(isAgent);
  const last = model.requests.findLast((request) => !isAgent(request))!;
  const notes = textsOf(itemsOf(last)).filter((text) => text.startsWith('<subagent_notification>'));
  return {
    code,
    /** Tasks and words of the agent, in each of its requests. */
    agents: agents.map((request) => textsOf(itemsOf(request)).filter((text) => /^(TASK|And|Three|Two)/.test(text))),
    outputs: outputsOf(last).map(plain),
    notes: notes.map(plain),
    threads: place.rollouts().length,
  };
}

it('an agent is started, waited for, sent more and closed with the same effects in both programs', async () => {
  const capstan = await play(runCapstan);
  const codex = await play(runCodex);
  expect(capstan.agents).toEqual([[task], [task, 'Three files.', more]]);
  expect(capstan.agents).toEqual(codex.agents);
  expect([capstan.code, capstan.threads]).toEqual([codex.code, codex.threads]);
  const note = (said: string): string =>
    `<subagent_notification>\n{"agent_path":"PATH","status":{"completed":"${said}"}}\n</subagent_notification>`;
  // Codex notifies its model of the first work alone. Its model reads what came of the rest where it waits for it.
  expect(codex.notes).toEqual([note('Three files.')]);
  expect(capstan.notes).toEqual([note('Three files.'), note('Two folders.')]);
  expect(codex.outputs).toEqual([
    '{"agent_id":"ID","nickname":"NAME"}',
    '{"status":{"ID":{"completed":"Three files."}},"timed_out":false}',
    '{"submission_id":"ID"}',
    '{"status":{"ID":{"completed":"Two folders."}},"timed_out":false}',
    '{"previous_status":{"completed":"Two folders."}}',
    'agent with id ID not found',
  ]);
  expect(capstan.outputs).toEqual([
    '{"agent_id":"ID","agent_path":"PATH"}',
    '{"status":{"PATH":"completed"},"timed_out":false}',
    '{"agent_path":"PATH","delivered":"a new turn began"}',
    '{"status":{"PATH":"completed"},"timed_out":false}',
    '{"agent_path":"PATH","previous_status":"completed"}',
    'Agent PATH is closed. Start another one, under any name.',
  ]);
});
