import { overrideList } from '../../src/adapters/gather/config/config-layers.ts';
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Thread, ThreadId } from '../../src/index.ts';
import { readMemoryNotes } from '../../src/adapters/gather/memory-files.ts';
import { answer, type RecordedRequest, say, type ScriptStep } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const hourMs = 3_600_000;

/** Which question a request asks. */
function purposeOf({ body }: Pick<RecordedRequest, 'body'>): 'turn' | 'extract' | 'consolidate' {
  const instructions = String(body['instructions']);
  if (instructions.startsWith('You write notes')) return 'extract';
  return instructions.startsWith('You keep the memory') ? 'consolidate' : 'turn';
}

export interface WriterAnswers {
  extract?(request: RecordedRequest): ScriptStep;
  consolidate?(request: RecordedRequest): ScriptStep;
  turn?(request: RecordedRequest): ScriptStep | Promise<ScriptStep>;
}

export const note = (fields: object = {}): ScriptStep =>
  answer({
    items: [
      say(
        JSON.stringify({
          raw_memory: '- The user likes tabs.',
          rollout_summary: 'Tabs were discussed.',
          rollout_slug: 'About Tabs!',
          ...fields,
        }),
      ),
    ],
  });

export const merged = (fields: object = {}): ScriptStep =>
  answer({
    items: [
      say(
        JSON.stringify({ memory_md: '# Tabs\n\nThe user likes tabs.', memory_summary_md: 'Tabs: likes.', ...fields }),
      ),
    ],
  });

/** A home in which threads can be made older than they are, and a model that answers by what it is asked. */
export async function memoryScene(answers: WriterAnswers = {}, config = 'features.memories = true') {
  const {
    extract = () => note(),
    consolidate = () => merged(),
    turn = () => answer({ items: [say('Yes.')] }),
  } = answers;
  const given = { extract, consolidate, turn };
  const live = await LiveThread.in((request) => given[purposeOf(request)](request), config);
  const { home } = live.place;
  const memories = (...path: string[]): string => join(home, 'memories', ...path);
  return {
    live,
    memories,
    read: (...path: string[]): string | undefined =>
      existsSync(memories(...path)) ? readFileSync(memories(...path), 'utf8') : undefined,
    summaries: (): readonly string[] =>
      existsSync(memories('rollout_summaries')) ? readdirSync(memories('rollout_summaries')) : [],
    asked: (purpose: 'extract' | 'consolidate'): readonly RecordedRequest[] =>
      live.model.requests.filter((request) => purposeOf(request) === purpose),
    notes: () => readMemoryNotes(home),
    /** The result of each attempt. */
    noted: (): readonly string[] => readMemoryNotes(home).map(({ kind }) => kind),
    /** A thread that came to rest so many hours ago. Nothing is written about others meanwhile. */
    async past(text: string, hours = 7, options: Parameters<LiveThread['open']>[0] = {}): Promise<string> {
      const overrides = ['features.memories=false', ...overrideList(options?.config)];
      const engine = await live.engine({ ...options, config: overrides });
      const opened = await engine.start({ cwd: live.place.workspace });
      if (opened.kind === 'refused') throw new Error(opened.outcome.message);
      const { thread } = opened;
      await thread.run({ input: { author: 'user', text, images: [] }, signal: new AbortController().signal });
      return restSince(thread, hours);
    },
    /** One more turn of such a thread, after which it rested again. */
    async usedAgain(id: string, text: string, hours = 7): Promise<void> {
      const engine = await live.engine({ config: ['features.memories=false'] });
      const opened = await engine.resume(id as ThreadId, {});
      if (opened.kind === 'refused') throw new Error(opened.outcome.message);
      const { thread } = opened;
      await thread.run({ input: { author: 'user', text, images: [] }, signal: new AbortController().signal });
      await restSince(thread, hours);
    },
  };
}

async function restSince(thread: Thread, hours: number): Promise<string> {
  await thread.close();
  const then = new Date(Date.now() - hours * hourMs);
  utimesSync(thread.location, then, then);
  return thread.id;
}

/** Waits until something holds: the writer works beside the turns. */
export async function eventually(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 800 && !holds(); tries++) await new Promise((resolve) => setTimeout(resolve, 25));
  if (!holds()) throw new Error('it never held');
}
