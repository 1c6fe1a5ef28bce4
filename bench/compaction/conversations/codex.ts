import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../src/protocol/json.ts';
import { answer, say, startScriptedModel, type ScriptStepOf } from '../../../src/testing/index.ts';
import type { Asked } from '../../../test/compaction/conversations/asked.ts';
import type { Summariser } from '../../../test/compaction/conversations/summarisers.ts';
import { Place } from '../../../test/harness/run-capstan.ts';
import { AppServer } from '../../../test/oracles/app-server.ts';
import { windows } from './capstan.ts';
import type { Contender, Prompted } from './contender.ts';
import { nextWords, writeConversation } from './conversation-file.ts';

export const compactPrompt = 'Sum up this conversation for a bench.';

/**
 * The released Codex, by its app-server: it resumes the same thread file, compacts by its own call, and runs a turn. It
 * compacts by itself at the provider only where that is called OpenAI, which is the `remote` strategy here.
 */
export const codex: Contender = {
  name: 'Codex',
  window: windows.model,
  async start(summariser) {
    let current: Asked | undefined;
    const model = await startScriptedModel(answersOf(summariser, () => current!));
    const place = new Place(model.url, `compact_prompt = ${JSON.stringify(compactPrompt)}`);
    if (summariser.strategy === 'remote') {
      const path = join(place.home, 'config.toml');
      writeFileSync(path, readFileSync(path, 'utf8').replace('name = "scripted"', 'name = "OpenAI"'));
    }
    const server = await AppServer.start(place);
    const settings = { cwd: place.workspace, approvalPolicy: 'never', sandbox: 'workspace-write' };
    return {
      async prompt(asked, id): Promise<Prompted> {
        current = asked;
        writeConversation(place.home, place.workspace, id, asked.conversation);
        await server.call('thread/resume', { threadId: id, ...settings, excludeTurns: true });
        const failed = await turnOf(server, id, 'thread/compact/start', { threadId: id });
        if (failed !== undefined) return { failed };
        const input = [{ type: 'text', text: nextWords }];
        const ended = await turnOf(server, id, 'turn/start', { threadId: id, input });
        if (ended !== undefined) return { failed: ended };
        const items = model.requests.at(-1)!.body['input'] as unknown as readonly JsonObject[];
        await server.call('thread/unsubscribe', { threadId: id });
        return { input: items.slice(0, -1) };
      },
      async close() {
        await server.close();
        await model.close();
        place.remove();
      },
    };
  },
};

/** Runs a call to the end of the turn that it begins. What went wrong, if something did. */
export async function turnOf(
  server: AppServer,
  id: string,
  method: string,
  params: JsonObject,
): Promise<string | undefined> {
  const ended = server.told((name, { threadId }) => name === 'turn/completed' && threadId === id);
  await server.call(method, params);
  const { turn } = await ended;
  if (!isJsonObject(turn)) return 'the turn did not end';
  return turn['status'] === 'completed' ? undefined : JSON.stringify(turn['error']);
}

function answersOf(summariser: Summariser, asked: () => Asked): ScriptStepOf {
  return ({ body }) => {
    const input = body['input'] as unknown as readonly JsonObject[];
    const last = input.at(-1);
    const isAsked = last?.['type'] === 'compaction_trigger' || JSON.stringify(last).includes(compactPrompt);
    const given = isAsked ? summariser.answer(asked()) : 'Fine.';
    if (typeof given !== 'string') return answer({ items: given.map(({ id: _id, ...item }) => item) });
    return answer({ items: given === '' ? [] : [say(given)] });
  };
}
