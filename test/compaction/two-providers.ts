import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import {
  answer,
  callTool,
  type ItemDraft,
  type RecordedRequest,
  say,
  type ScriptedModel,
  startScriptedModel,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { checkRebuilt } from '../laws/prefix-law.ts';
import { checkpointText, isCompaction, saysCheckpoint } from './summariser.ts';

/** Encrypted by a provider: no other must ever get it. */
const checkpointOf = (who: string, number: number): ItemDraft => ({
  type: 'compaction',
  encrypted_content: `checkpoint ${number} of ${who} ${'A'.repeat(900)}`,
});
const thoughtOf = (who: string): ItemDraft => ({
  type: 'reasoning',
  summary: [],
  encrypted_content: `a thought of ${who} ${'A'.repeat(900)}`,
});

export const task = 'Build the parser.';
export const makerSays = (number: number): string => `Maker, answer ${number}.`;

export interface Behaviour {
  /** Bytes of each answer of the maker. */
  readonly bytes?: number;
  /** The maker calls a tool before it answers; told when it is asked. */
  readonly calls?: () => void;
  /** The answer of a provider to a request for a checkpoint that can be read. */
  readonly maker?: (request: RecordedRequest) => ScriptStep;
  readonly reader?: (request: RecordedRequest) => ScriptStep;
}

const readable = (): ScriptStep => saysCheckpoint(checkpointText(task, [], 'The maker sums up.'));

const models: readonly JsonObject[] = [
  { slug: 'large', context_window: 200_000, base_instructions: 'You are large.' },
  { slug: 'small', context_window: 24_000, base_instructions: 'You are small.' },
];

/**
 * A thread and two providers. The `maker` makes checkpoints that only it can read; the thread's configuration names the
 * `reader`, which cannot.
 */
export class TwoProviders {
  readonly live: LiveThread;
  readonly maker: ScriptedModel;

  private constructor(live: LiveThread, maker: ScriptedModel) {
    this.live = live;
    this.maker = maker;
  }

  static async set({
    bytes = 10_800,
    calls,
    maker = readable,
    reader = readable,
  }: Behaviour = {}): Promise<TwoProviders> {
    let [said, made] = [0, 0];
    const server = await startScriptedModel((request) => {
      if (lastType(request) === 'compaction_trigger') return answer({ items: [checkpointOf('maker', ++made)] });
      if (isCompaction(request)) return maker(request);
      const work = 'The parser reads one line. '.repeat(bytes / 27);
      if (calls !== undefined && lastType(request) === 'message') {
        calls();
        return answer({ items: [say(work), callTool('update_plan', { plan: [] })] });
      }
      const text = `${makerSays(++said)} ${work}`;
      return answer({ items: [thoughtOf('maker'), say(text)] });
    });
    whenTestEnds(() => server.close());
    const live = await LiveThread.in(
      (request) => (isCompaction(request) ? reader(request) : answer({ items: [thoughtOf('reader'), say('Reader.')] })),
      `model_catalog_json = "models.json"\n${table('maker', server.url)}`,
    );
    writeFileSync(join(live.place.home, 'models.json'), JSON.stringify({ models }));
    return new TwoProviders(live, server);
  }

  get reader(): ScriptedModel {
    return this.live.model;
  }

  /** Opens the thread in another process, as it were. */
  openWith(provider: 'maker' | 'scripted', model = 'large', more: readonly string[] = []): Promise<unknown> {
    const overrides = [`model_provider="${provider}"`, `model="${model}"`, ...more];
    return this.live.open({ config: overrides });
  }

  /** Turns with the maker, and a checkpoint of its own after each of them. */
  async withCheckpoints(count = 1, turns = 1): Promise<void> {
    await this.openWith('maker', 'large', ['compaction.strategy="remote"']);
    for (let round = 0; round < count; round++) {
      for (let turn = 0; turn < turns; turn++)
        await this.live.turn(round + turn === 0 ? task : `Go on ${round}.${turn}.`);
      const { kind } = await this.live.thread.compact({ signal: new AbortController().signal });
      if (kind !== 'installed') throw new Error(`the checkpoint of the maker: ${kind}`);
    }
  }

  /** Requests whose lines are not there any more. */
  readonly #forgotten = new Map<ScriptedModel, number>();

  /** Takes the lines away that stand before the newest checkpoint. */
  async forgetBehind(): Promise<void> {
    for (const model of [this.maker, this.reader]) this.#forgotten.set(model, model.requests.length);
    await this.live.rewrite((lines) => {
      const newest = lines.findLastIndex(({ type }) => type === 'compacted');
      return [lines[0]!, ...lines.slice(newest)];
    });
  }

  /** As if the maker stood somewhere else, or nowhere. */
  configureMaker(url: string | undefined): void {
    const path = join(this.live.place.home, 'config.toml');
    const others = readFileSync(path, 'utf8').replace(/\[model_providers\.maker\][^[]*/, '');
    writeFileSync(path, `${others}${url === undefined ? '' : table('maker', url)}`);
  }

  /** The requests of each provider since the last call, by kind. */
  asked(): { readonly maker: readonly string[]; readonly reader: readonly string[] } {
    const [maker, reader] = [this.maker, this.reader].map(({ requests }) =>
      requests.slice(this.#seen.get(requests) ?? 0).map(kindOf),
    );
    for (const { requests } of [this.maker, this.reader]) this.#seen.set(requests, requests.length);
    return { maker: maker!, reader: reader! };
  }

  readonly #seen = new Map<object, number>();

  /** The requests of a provider whose lines are all in the file. */
  recorded(model: ScriptedModel): ScriptedModel {
    return { ...model, requests: model.requests.slice(this.#forgotten.get(model) ?? 0) };
  }

  /** The texts of the newest request of the reader. */
  read(): readonly unknown[] {
    return textsOf(inputOf(this.reader, this.reader.requests.length - 1));
  }
}

/** Checks that neither got what the other encrypted, and that every request can be rebuilt from the file. */
export async function checkBoth(two: TwoProviders): Promise<void> {
  const { maker, reader, live } = two;
  expect(maker.requests.filter((request) => textOf(request).includes('of reader'))).toEqual([]);
  expect(reader.requests.filter((request) => textOf(request).includes('of maker'))).toEqual([]);
  await live.close();
  for (const model of [maker, reader]) await checkRebuilt(two.recorded(model), live.place.lines());
}

function table(id: string, url: string): string {
  return `[model_providers.${id}]\nserver_capabilities.remote_compaction = true\nbase_url = "${url}"\nwire_api = "responses"\nsupports_websockets = false\nrequest_max_retries = 0\nstream_max_retries = 0\n`;
}

export function textOf({ decodedBytes }: RecordedRequest): string {
  return decodedBytes.toString('utf8');
}

function kindOf(request: RecordedRequest): string {
  if (lastType(request) === 'compaction_trigger') return 'own checkpoint';
  return isCompaction(request) ? 'checkpoint' : 'step';
}

function lastType({ body }: RecordedRequest): unknown {
  return (body['input'] as unknown as readonly JsonObject[]).at(-1)?.['type'];
}
