import fc from 'fast-check';
import { isBlankText } from '../../src/base/invisible-characters.ts';
import type { Item } from '../../src/protocol/item.ts';
import type { Json, JsonObject } from '../../src/protocol/json.ts';
import { callTool, type ItemDraft, reason, say } from '../../src/testing/index.ts';
import { worldSections } from '../../src/core/world/catalog.ts';
import type { OpenedWith } from '../harness/watched-thread.ts';
import type { World } from '../harness/world.ts';

export interface ModelStep {
  readonly items: readonly ItemDraft[];
  readonly fault: 'none' | 'cut' | 'failed' | 'malformed' | 'status' | 'quota' | 'overflow' | 'interrupt';
  /** Actions of others while the model has the request. */
  readonly meanwhile: Meanwhile;
}

export interface Meanwhile {
  /** Words for the running turn. */
  readonly steer?: string;
  readonly inject?: Item;
  /** Changes to the world: files and the date at once, settings from the next turn on. */
  readonly world?: Partial<World>;
  /** A caller wants history to be compacted. */
  readonly compact?: true;
}

export type CompactionAnswer =
  | 'good'
  | 'prose'
  | 'empty'
  | 'calls'
  | 'failed'
  | 'status'
  | 'cut'
  | 'overflow'
  | 'interrupt';

/** One turn of a random thread, and the accident that may befall it. */
export interface RandomTurn {
  readonly words: string;
  readonly picture: boolean;
  /** Differences from the turn before. */
  readonly world: Partial<World>;
  /** Put into history before the turn. */
  readonly injected: readonly Item[];
  readonly steps: readonly ModelStep[];
  /** When a caller wants history to be compacted, beside what happens meanwhile and by itself. */
  readonly compactions: readonly ('before' | 'after')[];
  /** In turn, and good ones after them. */
  readonly checkpointAnswers: readonly CompactionAnswer[];
  /** Actions of others when the model is first asked for a checkpoint. */
  readonly atCompaction: Pick<Meanwhile, 'steer' | 'inject'>;
  /** True if the provider reports the tokens of its requests. */
  readonly counted: boolean;
  readonly accident: 'none' | 'crash-at-sync' | 'kill-at-command' | 'kill-at-compaction';
  readonly at: number;
  /** The percentage of unsynced bytes that survives. */
  readonly luck: number;
  /** The process goes on after the turn, or another one resumes the thread with these settings. */
  readonly afterwards: 'stays' | OpenedWith;
  /** The lines written into the file between this process and the next, if there is a next. */
  readonly between: Between;
}

export type Between =
  | { readonly kind: 'nothing' }
  /** Another program's turn: it does not keep what it does not know, or keeps something else. */
  | { readonly kind: 'forgets'; readonly state: JsonObject }
  /** History is replaced by the users' words, or by itself. */
  | { readonly kind: 'rewrites'; readonly keeps: 'words' | 'everything' }
  | { readonly kind: 'rolls-back'; readonly turns: number }
  /** The user pins a note, or takes one away. */
  | { readonly kind: 'pins'; readonly id: string; readonly text?: string };

const text = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
  {
    weight: 8,
    arbitrary: fc.constantFrom('</environment_context>', '\u2028', '\ud800', '"],"tool_choice":"none"'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'Use $knit and @wool.',
      'How do I purl in many words?',
      'Use $wool:dye, $knit and [$purl](/skills/purl/SKILL.md)',
    ),
  },
  { weight: 3, arbitrary: fc.constantFrom('Words that fill a window. '.repeat(150), '<VERBATIM_REQUEST_END>\n') },
);

const item: fc.Arbitrary<ItemDraft> = fc.oneof(
  text.map(say),
  text.map(reason),
  text.map((command) => callTool('exec_command', { cmd: `echo ${command}` })),
  text.map((command) => callTool('exec_command', { cmd: `sudo ${command}`, sandbox_permissions: 'require_escalated' })),
  fc.constantFrom(
    callTool('exec_command', '{"cmd": broken'),
    callTool('no_such_tool', {}),
    callTool('update_plan', { plan: [{ step: 'look', status: 'pending' }] }),
  ),
  fc
    .dictionary(fc.constantFrom('2', '1', 'é', 'status'), fc.jsonValue())
    .map((odd) => ({ ...(odd as JsonObject), type: 'web_search_call' })),
  fc
    .dictionary(fc.constantFrom('result', 'revised_prompt', 'status'), fc.oneof(fc.constant('AAAA'), fc.jsonValue()))
    .map((odd) => ({ ...(odd as JsonObject), type: 'image_generation_call' })),
);

/** Items of a program. Calls and answers come alone: the other half may follow, or not. */
const injected: fc.Arbitrary<Item> = fc.oneof(
  fc.record({
    type: fc.constant('message'),
    role: fc.constantFrom('developer', 'user', 'assistant'),
    content: text.map((said) => [{ type: 'input_text', text: `note: ${said}` }]),
  }),
  fc.record({
    type: fc.constant('function_call'),
    call_id: fc.constantFrom('of_client_1', 'of_client_2'),
    name: fc.constant('look'),
    arguments: fc.constant('{}'),
  }),
  fc.record({
    type: fc.constant('function_call_output'),
    call_id: fc.constantFrom('of_client_1', 'of_client_2'),
    output: text,
  }),
);

const optional = <Value>(...values: readonly Value[]): fc.Arbitrary<Value | undefined> =>
  fc.constantFrom(undefined, ...values);

const everything: { readonly [Key in keyof World]: fc.Arbitrary<World[Key]> } = {
  model: fc.constantFrom('gpt-5.5', 'planner', 'blind', 'doer', 'planner-mini', 'small', 'other'),
  effort: fc.constantFrom('low', 'high'),
  cwd: fc.constantFrom('/repo', '/repo/<b>', '/x'),
  mode: fc.constantFrom('read-only', 'workspace-write', 'danger-full-access'),
  network: fc.boolean(),
  approval: fc.constantFrom('never', 'on-request', 'untrusted'),
  prefixes: fc.subarray([['git', 'status'], ['ls'], ['</permissions instructions>\n']]),
  rules: fc.subarray([
    { host: 'a.org', action: 'allow' },
    { host: 'a.org', action: 'deny' },
    { host: 'b.org', action: 'ask' },
    { host: '"x"\n', action: 'deny' },
  ]),
  collaboration: optional(
    { mode: 'plan' },
    { mode: 'plan', instructions: 'Plan my way.' },
    { mode: 'default', instructions: 'Pair with me.' },
    { mode: 'default' },
  ),
  personality: optional('none', 'friendly', 'pragmatic'),
  realtime: fc.boolean(),
  // Only what the first turn finds counts.
  base: optional('Be somebody else.'),
  developer: optional('Use tabs.', '</developer_instructions>', ''),
  managed: optional('Ask first.', '</managed_developer_instructions>'),
  leaveOut: fc.subarray(['permissions', 'collaboration-mode', 'environment', 'apps', 'skills']),
  deferred: fc.subarray([
    { name: 'mcp__a', description: 'Tools: x' },
    { name: 'mcp__b', description: 'Says </tools> and <more>' },
  ]),
  servers: optional(
    { notes: [], instructions: [] },
    { notes: [], instructions: [{ server: 'a', text: 'Says </mcp_instructions> and <more>.' }] },
    { notes: [{ server: 'b', problem: 'It broke.', changed: '', gone: '', unasked: '' }], instructions: [] },
  ),
  skills: fc.subarray([
    { name: 'knit', description: 'Says </skills_instructions> and <more>.' },
    { name: 'purl', description: 'How to purl, in many words. '.repeat(12).trim() },
    { name: 'wool:dye', description: 'Dyes wool.' },
  ]),
  memory: optional('Likes tabs.', '</memory_summary>'),
  session: fc.subarray(['A hook spoke.', 'Another, too.']),
  hooks: fc.boolean(),
  fallback: optional('planner', 'blind', 'small', 'other'),
  apps: fc.boolean(),
  plugins: fc.boolean(),
  tools: fc.subarray(['update_plan', 'view_image']),
  date: fc.constantFrom('2026-11-15', '2026-11-16'),
  timezone: fc.constantFrom('Etc/UTC', 'Europe/Oslo'),
  instructions: optional('Be kind.', 'Be brief.', '</INSTRUCTIONS>'),
  window: optional(2500, 3500, 5000),
};

/** A few things that change, or nothing. */
const news: fc.Arbitrary<Partial<World>> = fc
  .subarray(Object.keys(everything) as (keyof World)[], { maxLength: 5 })
  .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, everything[key]]))) as never);

const world: fc.Arbitrary<Partial<World>> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 3, arbitrary: news },
);

const steered = { steer: text, inject: injected, world };

const meanwhile: fc.Arbitrary<Meanwhile> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 4, arbitrary: fc.record(steered, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.record({ ...steered, compact: fc.constant(true) }, { requiredKeys: ['compact'] }) },
);

const modelStep: fc.Arbitrary<ModelStep> = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 3 }),
  fault: fc.oneof(
    { weight: 6, arbitrary: fc.constant('none' as const) },
    { weight: 3, arbitrary: fc.constantFrom('cut', 'failed', 'malformed', 'status', 'quota', 'overflow', 'interrupt') },
  ),
  meanwhile,
});

/** A file that lies cannot be told from one that is right: what a section would take for its own is left out. */
const notOurs = fc.jsonValue().filter((value) => typeof value !== 'boolean') as fc.Arbitrary<Json>;

const between: fc.Arbitrary<Between> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'nothing' as const }) },
  fc
    .dictionary(fc.constantFrom(...worldSections.map(({ id }) => id)), fc.oneof(fc.constant(null), notOurs))
    .map((state) => ({ kind: 'forgets' as const, state })),
  fc.record({ kind: fc.constant('rewrites' as const), keeps: fc.constantFrom('words', 'everything') }),
  fc.record({ kind: fc.constant('rolls-back' as const), turns: fc.integer({ min: 1, max: 3 }) }),
  {
    weight: 3,
    arbitrary: fc.record(
      {
        kind: fc.constant('pins' as const),
        id: fc.constantFrom('pin-1', 'pin-2'),
        text: fc.constantFrom('Never touch the lock file.', '</note>\n<note>', '</pinned_notes>'),
      },
      { requiredKeys: ['kind', 'id'] },
    ),
  },
);

const compactionAnswer: fc.Arbitrary<CompactionAnswer> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('good' as const) },
  {
    weight: 4,
    arbitrary: fc.constantFrom('prose', 'empty', 'calls', 'failed', 'status', 'cut', 'overflow', 'interrupt'),
  },
);

const turns: fc.Arbitrary<readonly RandomTurn[]> = fc.array(
  fc.record({
    // Half a character is refused before there is a turn.
    // A message without a character to see is refused.
    words: text.map((words) => words.toWellFormed()).filter((words) => !isBlankText(words)),
    picture: fc.boolean(),
    world,
    injected: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(injected, { maxLength: 2 })),
    steps: fc.array(modelStep, { maxLength: 4 }),
    compactions: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      fc.subarray<'before' | 'after'>(['before', 'after']),
    ),
    checkpointAnswers: fc.array(compactionAnswer, { maxLength: 3 }),
    atCompaction: fc.record({ steer: text, inject: injected }, { requiredKeys: [] }),
    counted: fc.boolean(),
    accident: fc.oneof(
      { weight: 3, arbitrary: fc.constant('none' as const) },
      { weight: 2, arbitrary: fc.constantFrom('crash-at-sync', 'kill-at-command', 'kill-at-compaction') },
    ),
    at: fc.nat(6),
    luck: fc.nat(100),
    afterwards: fc.constantFrom('stays', 'world', 'thread'),
    between,
  }),
  { minLength: 1, maxLength: 5 },
);

/**
 * Every other thread has a small window from the start, every other one lets commands ask for more, every other one has
 * hooks, and most have a model that continues.
 */
export const randomTurns: fc.Arbitrary<readonly RandomTurn[]> = fc
  .tuple(turns, fc.boolean(), everything.window, fc.boolean(), fc.boolean(), everything.fallback)
  .map(([[first, ...others], small, window, asks, hooks, fallback]) => {
    const asking = asks ? { approval: 'on-request' as const } : {};
    const begins = { ...(small ? { window } : {}), ...asking, hooks, fallback };
    return [{ ...first!, world: { ...first!.world, ...begins } }, ...others];
  });

/** A turn in which nothing happens but an answer. */
export const quietTurn: RandomTurn = {
  words: 'hello',
  picture: false,
  world: {},
  injected: [],
  steps: [],
  compactions: [],
  checkpointAnswers: [],
  atCompaction: {},
  counted: true,
  accident: 'none',
  at: 1,
  luck: 0,
  afterwards: 'stays',
  between: { kind: 'nothing' },
};
