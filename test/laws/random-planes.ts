import fc from 'fast-check';
import type { ToolServerNow } from '../harness/http-tool-servers.ts';

/** An action of a model that has all planes of tools. */
export type PlaneAction =
  | { readonly kind: 'spawn'; readonly name: string; readonly fork: boolean }
  | { readonly kind: 'send'; readonly name: string; readonly interrupt: boolean }
  | { readonly kind: 'wait'; readonly until: 'any' | 'all' }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'list' }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string; readonly by: 'name' | 'call_tool' }
  | { readonly kind: 'search'; readonly query: string }
  | { readonly kind: 'ask' }
  | { readonly kind: 'plan' }
  | { readonly kind: 'remaining' }
  | { readonly kind: 'say'; readonly text: string };

/** All that can change between two turns of a thread with all planes. */
export interface PlanesWorld {
  readonly skills: readonly string[];
  readonly memory: string | undefined;
  readonly instructions: string | undefined;
  readonly a: ToolServerNow;
  readonly b: ToolServerNow;
  readonly mode: 'plan' | 'default';
  readonly personality: 'friendly' | 'pragmatic' | null;
  /** A thread goes by what it was opened with. */
  readonly servers: readonly string[];
  readonly hooks: boolean;
  readonly plugin: boolean;
}

export interface PlanesTurn {
  readonly words: string;
  readonly world: Partial<PlanesWorld>;
  /** Changes while the model has the second request. */
  readonly meanwhile: Partial<PlanesWorld>;
  /** Items of each answer. */
  readonly steps: readonly (readonly PlaneAction[])[];
  /** Actions of its agents, each from its own place on. */
  readonly agentSteps: readonly PlaneAction[];
  /** At which request of the turn the process is killed. */
  readonly killedAt: number | undefined;
  readonly afterwards: 'stays' | 'reopens' | 'compacts' | 'reviews';
}

export const firstPlanes: PlanesWorld = {
  skills: ['knit'],
  memory: 'Likes tabs.',
  instructions: 'Be kind.',
  a: { tools: ['look', 'write'], isUp: true },
  b: { tools: ['look', 'fetch'], isUp: true },
  mode: 'default',
  personality: null,
  servers: ['a', 'b'],
  hooks: true,
  plugin: true,
};

const agentNames = fc.constantFrom('x', 'y', 'z');
const toolServer = fc.record({
  tools: fc.oneof(fc.constant(['look', 'fetch', 'late']), fc.subarray(['look', 'write', 'fetch', 'late'])),
  isUp: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
});

const everything: { readonly [Key in keyof PlanesWorld]: fc.Arbitrary<PlanesWorld[Key]> } = {
  skills: fc.subarray(['knit', 'purl', 'dye']),
  memory: fc.constantFrom(undefined, 'Likes tabs.', 'Says </memory_summary>.'),
  instructions: fc.constantFrom(undefined, 'Be kind.', '</INSTRUCTIONS>'),
  a: toolServer,
  b: toolServer,
  mode: fc.constantFrom('plan', 'default'),
  personality: fc.constantFrom('friendly', 'pragmatic', null),
  servers: fc.subarray(['a', 'b']),
  hooks: fc.boolean(),
  plugin: fc.boolean(),
};

const news = fc.oneof(
  fc.constant({}),
  fc
    .subarray(Object.keys(everything) as (keyof PlanesWorld)[], { minLength: 1, maxLength: 3 })
    .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, everything[key]])))),
) as fc.Arbitrary<Partial<PlanesWorld>>;

const ofServer: fc.Arbitrary<PlaneAction> = fc.record({
  kind: fc.constant('mcp' as const),
  server: fc.constantFrom('a', 'b'),
  tool: fc.constantFrom('look', 'look', 'look', 'write', 'fetch', 'late'),
  by: fc.constantFrom('name', 'name', 'call_tool'),
});

const ofAnyone: fc.Arbitrary<PlaneAction> = fc.oneof(
  { weight: 3, arbitrary: ofServer },
  fc.record({ kind: fc.constant('search' as const), query: fc.constantFrom('look', 'fetch late', '') }),
  fc.constantFrom<PlaneAction>({ kind: 'plan' }, { kind: 'remaining' }, { kind: 'say', text: 'Hm. </skill>' }),
);

const ofRoot: fc.Arbitrary<PlaneAction> = fc.oneof(
  { weight: 3, arbitrary: ofAnyone },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('spawn' as const), name: agentNames, fork: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('send' as const), name: agentNames, interrupt: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      until: fc.constantFrom('any' as const, 'all' as const),
    }),
  },
  fc.record({ kind: fc.constant('close' as const), name: agentNames }),
  fc.constantFrom<PlaneAction>({ kind: 'list' }, { kind: 'ask' }),
);

export const randomPlanes: fc.Arbitrary<readonly PlanesTurn[]> = fc.array(
  fc.record({
    words: fc.constantFrom('Go.', 'Use $knit and $wool:felt.', 'Ask @wool about purl.', '</environment_context>'),
    world: news,
    meanwhile: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, news),
    steps: fc.array(fc.array(ofRoot, { minLength: 1, maxLength: 3 }), { maxLength: 5 }),
    agentSteps: fc.array(ofAnyone, { maxLength: 4 }),
    killedAt: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.nat(6)),
    afterwards: fc.constantFrom('stays', 'stays', 'reopens', 'compacts', 'reviews'),
  }),
  { minLength: 1, maxLength: 4 },
);
