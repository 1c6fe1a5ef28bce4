import { providerDefaults } from '../../src/core/config/providers/provider-config.ts';
import type { HttpClientOptions } from '../../src/adapters/model/http/send-question.ts';
import type { ProviderOptions } from '../../src/adapters/model/http/credentials-and-headers.ts';
import { responsesClient } from '../../src/adapters/model/responses/client.ts';
import { responsesEncoder } from '../../src/adapters/model/responses/encode.ts';
import type { Clock } from '../../src/ports/system.ts';
import type { ModelClient, ModelEvent, ModelRequest, ModelPrompt, SentFrame } from '../../src/ports/model.ts';
import type { Item } from '../../src/protocol/item.ts';
import {
  answer,
  say,
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from '../../src/testing/index.ts';
import { whenTestEnds } from './when-test-ends.ts';

export const never = new AbortController().signal;
export const done = answer({ items: [say('Done.')], deltas: true });
export const user = (text: string): Item => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});
export const first: ModelPrompt = {
  options: { model: 'm', parallelToolCalls: true, cacheKey: 't1', labels: { turn_id: '1' } },
  instructions: 'Be kind.',
  tools: [{ type: 'function', name: 'look_up' }],
  input: [user('One?')],
};

/** A thread's end of the wire, without a thread. */
export class SocketTalk {
  readonly model: ScriptedModel;
  readonly client: ModelClient;
  readonly frames: SentFrame[] = [];
  readonly #encoder = responsesEncoder();
  now = Date.UTC(2026, 0, 1);

  private constructor(
    model: ScriptedModel,
    provider: Partial<ProviderOptions>,
    options: Partial<Omit<HttpClientOptions, 'provider'>>,
  ) {
    this.model = model;
    const clock: Clock = { now: () => this.now, sleep: () => Promise.resolve() };
    this.client = responsesClient({
      credentials: () => Promise.resolve({ kind: 'none' }),
      environment: {},
      clock,
      random: () => 0.5,
      ...options,
      provider: {
        ...providerDefaults,
        id: 'p',
        name: 'Some Place',
        baseUrl: model.url,
        supportsWebsockets: true,
        ...provider,
      },
    });
    whenTestEnds(() => this.client.close?.());
  }

  static async with(
    script: Script,
    {
      model = {},
      provider = {},
      at = (url) => url,
      ...options
    }: {
      readonly model?: ScriptedModelOptions;
      readonly provider?: Partial<ProviderOptions>;
      /** The address at which the client finds the model. */
      readonly at?: (url: string) => string;
    } & Partial<Omit<HttpClientOptions, 'provider'>> = {},
  ): Promise<SocketTalk> {
    const started = await startScriptedModel(script, model);
    whenTestEnds(() => started.close());
    return new SocketTalk(started, { baseUrl: at(started.url), ...provider }, options);
  }

  request(prompt: ModelPrompt): ModelRequest {
    const onSent = (frame?: SentFrame): void => void (frame && this.frames.push(frame));
    return { body: this.#encoder.body(prompt), prompt, headers: { 'thread-id': 't1' }, onSent };
  }

  async ask(prompt: ModelPrompt, signal = never): Promise<readonly ModelEvent[]> {
    const events: ModelEvent[] = [];
    for await (const event of this.client.stream(this.request(prompt), signal)) {
      events.push(event);
      // As a thread does it: no one reads on after the end.
      if (event.kind === 'completed' || event.kind === 'failed') break;
    }
    return events;
  }

  /** Asks, and gives the next request: with the answer and more words. */
  async next(prompt: ModelPrompt, words: string): Promise<ModelPrompt> {
    const events = await this.ask(prompt);
    const items = events.flatMap((event) => (event.kind === 'item' ? [event.item] : []));
    return { ...prompt, input: [...prompt.input, ...items, user(words)] };
  }

  get kinds(): readonly string[] {
    return this.model.requests.map(({ frame }) => frame?.kind ?? 'http');
  }
}

export const endOf = (events: readonly ModelEvent[]): string => {
  const last = events.at(-1)!;
  return last.kind === 'failed' ? last.failure.code : last.kind;
};
