import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine, parseThreadId } from '../../../src/index.ts';
import type { Item } from '../../../src/protocol/item.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { answer, say, type ScriptStepOf, startScriptedModel } from '../../../src/testing/index.ts';
import type { Asked } from '../../../test/compaction/conversations/asked.ts';
import type { Summariser } from '../../../test/compaction/conversations/summarisers.ts';
import { scriptedConfig } from '../run.ts';
import { nextWords, writeConversation } from './conversation-file.ts';
import type { Contender, Prompted, Started } from './contender.ts';

/** That of the model, and one in which the longest conversations do not fit whole. */
export const windows = { model: 272_000, small: 32_000 } as const;

/** The real engine against a scripted model, in a window of so many tokens. */
export function capstan(window: number): Contender {
  return { name: 'Capstan', window, start: (summariser) => start(summariser, window) };
}

async function start(summariser: Summariser, window: number): Promise<Started> {
  const root = mkdtempSync(join(tmpdir(), 'capstan-bench-'));
  const place = { root, home: join(root, 'home'), workspace: join(root, 'workspace') };
  mkdirSync(place.home);
  mkdirSync(join(place.workspace, '.git'), { recursive: true });
  let current: Asked | undefined;
  const model = await startScriptedModel(answersOf(summariser, () => current!));
  writeFileSync(join(place.home, 'config.toml'), scriptedConfig(model.url));
  return {
    async prompt(asked, id): Promise<Prompted> {
      current = asked;
      writeConversation(place.home, place.workspace, id, asked.conversation);
      const failed = await continueAfterCheckpoint(place, id, overrides(summariser, window));
      if (failed !== undefined) return { failed };
      const input = model.requests.at(-1)!.body['input'] as unknown as readonly JsonObject[];
      return { input: input.slice(0, -1) };
    },
    async close() {
      await model.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function overrides({ strategy }: Summariser, window: number): readonly string[] {
  const chosen = strategy === 'mechanical' ? 'structured' : strategy;
  return [`model_context_window=${window}`, `compaction.strategy="${chosen}"`];
}

/** The summariser answers what it is asked for a checkpoint; everything else is answered with a word. */
function answersOf(summariser: Summariser, asked: () => Asked): ScriptStepOf {
  return ({ body }) => {
    const input = body['input'] as unknown as readonly JsonObject[];
    const isRemote = input.at(-1)?.['type'] === 'compaction_trigger';
    const isAsked = isRemote || body['tool_choice'] === 'none';
    const given = isAsked ? summariser.answer(asked()) : 'Fine.';
    if (typeof given === 'string') return answer({ items: [say(given)], usage: 'none' });
    return answer({ items: isRemote ? given.map(({ id: _id, ...item }: Item) => item) : [say('')], usage: 'none' });
  };
}

interface Place {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
}

/** Continues the thread after a checkpoint. Returns the problem, if there was one. */
async function continueAfterCheckpoint(
  { root, home, workspace }: Place,
  id: string,
  overrides: readonly string[],
): Promise<string | undefined> {
  const engine = await Engine.load({
    env: { ...process.env, CAPSTAN_HOME: home },
    osHome: root,
    cwd: workspace,
    client: { name: 'bench', version: '0', source: 'exec' },
    config: [...overrides],
    systemFolders: [],
  });
  if (engine.kind === 'refused') return engine.outcome.message;
  const opened = await engine.resume(parseThreadId(id)!, { listener: () => {}, cwd: workspace });
  if (opened.kind === 'refused') return opened.outcome.message;
  const { thread } = opened;
  const { signal } = new AbortController();
  try {
    const made = await thread.compact({ signal });
    if (made.kind !== 'installed') return made.kind === 'failed' ? made.outcome.message : made.kind;
    const ended = await thread.run({ input: { author: 'user', text: nextWords, images: [] }, signal });
    return ended.kind === 'failed' ? ended.outcome.message : undefined;
  } finally {
    await thread.close();
  }
}
