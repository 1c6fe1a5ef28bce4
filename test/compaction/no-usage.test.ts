import { expect, inject, it, onTestFinished } from 'vitest';
import type { TurnFacts } from '../../src/core/envelope/facts.ts';
import type { TurnIdentity } from '../../src/core/envelope/identity.ts';
import { chatFormat } from '../../src/adapters/model/chat/client.ts';
import type { WireFormat } from '../../src/adapters/model/http/http-client.ts';
import { responsesFormat } from '../../src/adapters/model/responses/client.ts';
import { lookUpModel } from '../../src/core/envelope/model-record.ts';
import { resolveContextWindow } from '../../src/core/envelope/window.ts';
import { userMessageItem } from '../../src/core/fragments/message-items.ts';
import type { Json, JsonObject } from '../../src/protocol/json.ts';
import { words } from '../../src/protocol/user-input.ts';
import { historyAsRequestInput } from '../../src/core/state/plan-request.ts';
import {
  answer,
  callTool,
  say,
  type ScriptedModel,
  startScriptedModel,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import { countedTokens } from '../harness/counted-tokens.ts';
import { WatchedThread } from '../harness/watched-thread.ts';
import { firstWorld, settingsOf } from '../harness/world.ts';
import { worldModels } from '../harness/world-models.ts';
import { Dice } from '../tokens/corpus/dice.ts';
import { kinds, mixture, type Writer } from '../tokens/corpus/kinds.ts';
import { checkpointText, isCompaction, saysCheckpoint } from './summariser.ts';

const turns = 14;
const contextWindow = 32_000;
const { english, typescript, chinese, japanese, korean, base64, base64Lines } = kinds;

const texts: Readonly<Record<string, Writer>> = {
  English: english!,
  code: typescript!,
  CJK: (dice, length) => dice.pick([chinese!, japanese!, korean!])(dice, length),
  base64: (dice, length) => dice.pick([base64!, base64Lines!])(dice, length),
  'all of them': mixture,
};

const usages = ['none', 'null', 'zero'] as const;
type Usage = (typeof usages)[number];

/** A thread whose server counts every request and reports no count. */
class UncountedThread {
  /** The size of the next request without each checkpoint, as a share of the limit. */
  readonly shares: number[] = [];
  readonly model: ScriptedModel;
  readonly #thread: WatchedThread;
  readonly #dice = new Dice(6);
  readonly #write: Writer;
  #words = '';
  #steps: ScriptStep[] = [];

  private constructor(model: ScriptedModel, write: Writer, format: WireFormat) {
    this.model = model;
    this.#write = write;
    const disk = new SimulatedDisk();
    this.#thread = new WatchedThread(model.url, { home: '/home', files: disk, locks: disk.locks });
    this.#thread.world = world;
    this.#thread.format = format;
    this.#thread.outputOf = () => this.#text(16_000);
    this.#thread.onEvent = (event) => {
      if (event.kind === 'checkpoint-started') this.#measure(event.phase);
    };
  }

  static async start(usage: Usage, write: Writer, format: WireFormat): Promise<UncountedThread> {
    const model: ScriptedModel = await startScriptedModel(
      (request) =>
        isCompaction(request)
          ? saysCheckpoint(checkpointText(thread.#words, [], thread.#text(3000)))
          : (thread.#steps.shift() ?? answer({ items: [say(thread.#text(1500))] })),
      { usage, window: { tokens: limits.effective, count: countedTokens } },
    );
    const thread: UncountedThread = new UncountedThread(model, write, format);
    onTestFinished(async () => {
      await thread.#thread.close();
      await model.close();
    });
    return thread;
  }

  async play(): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      const dice = this.#dice;
      this.#words = `${turn}: ${dice.below(3) === 0 ? this.#text(9000) : 'Go on.'}`;
      const calls = (): ScriptStep => {
        const looks = Array.from({ length: 1 + dice.below(3) }, () => callTool('exec_command', { cmd: 'look' }));
        return answer({ items: looks });
      };
      this.#steps = Array.from({ length: dice.below(4) }, calls);
      const live = await this.#thread.open();
      const end = await live.run({ input: words(this.#words), signal: new AbortController().signal });
      if (end.kind !== 'completed') throw new Error(`turn ${turn}: ${JSON.stringify(end)}`);
    }
  }

  #text(most: number): string {
    return this.#write(this.#dice, 40 + this.#dice.below(most));
  }

  /** Before a turn its words are still to come. */
  #measure(phase: string): void {
    const { body } = this.model.requests.findLast((request) => !isCompaction(request))!;
    const { tools = [], instructions = firstMessage(body) } = body;
    const { history } = this.#thread.live!.state;
    const coming = phase === 'pre_turn' ? [userMessageItem('msg_', words(this.#words))] : [];
    const input = [...historyAsRequestInput(history, { modalities: ['text', 'image'] }), ...coming] as unknown as Json;
    this.shares.push(countedTokens({ body: { instructions, tools, input } }) / limits.autoCompact);
  }
}

/** The content of the first message: where there are only messages, it holds the instructions. */
function firstMessage({ messages }: JsonObject): Json {
  return (messages as readonly JsonObject[])[0]!['content']!;
}

const world = { ...firstWorld, window: contextWindow };
const limits = resolveContextWindow({ thread: {} } as TurnFacts, settingsOf(world), {
  identity: { model: lookUpModel(worldModels, world.model) } as TurnIdentity,
});

/** Every text with every usage in every format; the fast tests take usages and formats by turns. */
const all = usages.flatMap((usage) => [responsesFormat, chatFormat].map((format) => ({ usage, format })));
const cases = Object.entries(texts).flatMap(([about, write], at) => {
  const some = inject('runFactor') === 1 ? [all[at % all.length]!] : all;
  return some.map((each) => ({ about, write, wire: each.format.name, ...each }));
});

it.each(cases)(
  'a provider that counts nothing ($usage, $wire): no request of a thread with $about is too large, and none compacts early',
  async ({ usage, write, format }) => {
    const thread = await UncountedThread.start(usage, write, format);
    await thread.play();
    expect(thread.model.largest!.tokens).toBeLessThanOrEqual(limits.effective);
    expect(thread.shares.length).toBeGreaterThanOrEqual(2);
    expect(Math.min(...thread.shares)).toBeGreaterThanOrEqual(0.75);
  },
);
