import { join } from 'node:path';
import { entryFromLine } from '../../src/core/history/entry.ts';
import { historyOf } from '../../src/core/history/history.ts';
import { itemTokens } from '../../src/core/history/token-counts.ts';
import type { Item } from '../../src/protocol/item.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { startScriptedModel } from '../../src/testing/index.ts';
import { Place } from '../../test/harness/run-capstan.ts';
import { AppServer } from '../../test/oracles/app-server.ts';
import { type Behaviour, behave } from './behaviours.ts';
import { compactPrompt, turnOf } from './conversations/codex.ts';
import { isAboutTheWorld, isSummary } from './conversations/measure.ts';
import type { Run } from './run.ts';
import { scoreOf } from './score.ts';
import { appendTurns, threadFile, threadId } from './thread-file.ts';
import type { Transcript } from './transcript.ts';

/** Compacts the transcript with Codex as often, with the same answers to its own question for a summary. */
export async function runCodex(transcript: Transcript, behaviour: Behaviour): Promise<Run> {
  const model = await startScriptedModel(behave(transcript, behaviour));
  const place = new Place(model.url, `compact_prompt = ${JSON.stringify(compactPrompt)}`);
  const about = { transcript: transcript.id, strategy: 'Codex', by: behaviour } as const;
  try {
    for (const stretch of transcript.stretches) {
      appendTurns(join(place.home, threadFile), place.workspace, stretch);
      const server = await AppServer.start(place);
      const failed = await compactOnce(server, place, stretch === transcript.stretches.at(-1));
      await server.close();
      if (failed !== undefined) return { ...about, result: { failed } };
    }
    const inputs = model.requests.map(({ body }) => body['input'] as unknown as readonly JsonObject[]);
    const asked = model.requests.filter((_, at) => JSON.stringify(inputs[at]!.at(-1)).includes(compactPrompt));
    const after = inputs
      .at(-1)!
      .slice(0, -1)
      .filter((item) => !isAboutTheWorld(item));
    const before = inputs.findLast((input) => JSON.stringify(input.at(-1)).includes(compactPrompt))!;
    const weight = (items: readonly JsonObject[]): number =>
      items.filter((item) => !isAboutTheWorld(item)).reduce((sum, item) => sum + itemTokens(item as Item), 0);
    const history = historyOf(
      after.map((item) =>
        isSummary(item)
          ? { item: item as Item, origin: { family: 'context', kinds: ['foreign'] } }
          : entryFromLine(item as Item, undefined),
      ),
    );
    const score = scoreOf(transcript, history);
    const spent = asked.reduce((sum, { decodedBytes }) => sum + Math.ceil(decodedBytes.length / 4), 0);
    const counts = {
      requests: asked.length,
      spent,
      tokensBefore: weight(before.slice(0, -1)),
      tokensAfter: weight(after),
    };
    const words = { kept: 0, cut: 0, dropped: 0 };
    return { ...about, result: { made: 'plain', model: 'scripted', mended: [], words, score, ...counts } };
  } finally {
    await model.close();
    place.remove();
  }
}

async function compactOnce(server: AppServer, { workspace }: Place, isLast: boolean): Promise<string | undefined> {
  const settings = { cwd: workspace, approvalPolicy: 'never', sandbox: 'workspace-write', excludeTurns: true };
  await server.call('thread/resume', { threadId, ...settings });
  const failed = await turnOf(server, threadId, 'thread/compact/start', { threadId });
  if (failed !== undefined || !isLast) return failed;
  const input = [{ type: 'text', text: 'What do you do next?' }];
  return turnOf(server, threadId, 'turn/start', { threadId, input });
}
