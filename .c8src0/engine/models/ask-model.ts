import type { Settings } from '../../core/envelope/settings.ts';
import type { Overrides } from '../../adapters/gather/config/config-layers.ts';
import { readOnlyProfile } from '../../core/policy/profiles/narrower-profile.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { noUsage, type Usage } from '../../protocol/usage.ts';
import { writtenBy } from '../../protocol/user-input.ts';
import type { Engine } from '../engine.ts';

export interface AskModelRequest {
  readonly instructions: string;
  /** Makes the message for a window of this many tokens. */
  message(effectiveWindow: number): string;
  readonly outputSchema: JsonObject;
  readonly model: string;
  /** Absent: as configured. */
  readonly effort?: string;
  /** Working folder; its files must not matter. */
  readonly cwd: string;
  readonly settings: Pick<Settings, 'provider' | 'sandbox'>;
  readonly threadSource: string;
  readonly signal: AbortSignal;
}

/** `used`: also for a failed question, as far as the provider counted it. */
export type ModelReply = { readonly used: Usage } & (
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly outcome: Outcome }
);

/** Keys that say how a model is reached, what it accepts and how it answers. All other keys are left out. */
const onlyConfig = [
  'answer',
  'model_catalog_json',
  'model_context_window',
  'model_providers',
  'model_reasoning_effort',
  'model_reasoning_summary',
  'model_verbosity',
  'openai_base_url',
  'service_tier',
  'window',
];

/** Asks in an ephemeral, silent thread: no tools, no context, no questions to users. Never rejects. */
export async function askModel(engine: Pick<Engine, 'start'>, asked: AskModelRequest): Promise<ModelReply> {
  const { model, cwd, threadSource, signal, outputSchema, settings } = asked;
  const opened = await engine.start({
    cwd,
    model,
    onlyConfig,
    config: overridesFor(asked),
    heldApprovals: 'never',
    sandbox: readOnlyProfile(settings.sandbox),
    onlyTools: [],
    ephemeral: true,
    threadSource,
    compactsAfterTurns: false,
  });
  if (opened.kind === 'refused') return { kind: 'failed', outcome: opened.outcome, used: noUsage };
  const { thread } = opened;
  try {
    const input = writtenBy('program', asked.message(thread.usage.effectiveWindow));
    const ended = await thread.run({ input, outputSchema, signal });
    const used = thread.usage.total;
    if (ended.kind === 'failed') return { kind: 'failed', outcome: ended.outcome, used };
    if (ended.kind !== 'completed') return { kind: 'aborted', used };
    return { kind: 'answered', text: ended.lastMessage ?? '', used };
  } finally {
    await thread.close();
  }
}

function overridesFor({ instructions, settings, effort }: AskModelRequest): Overrides {
  const set = (value: Json, ...path: string[]): Overrides[number] => ({ path, value });
  return [
    set(instructions, 'instructions'),
    set(settings.provider, 'model_provider'),
    ...(effort === undefined ? [] : [set(effort, 'model_reasoning_effort')]),
    // Switch off what a thread has by default.
    set(false, 'include_environment_context'),
    set(false, 'include_permissions_instructions'),
    set(false, 'include_collaboration_mode_instructions'),
    set(false, 'include_apps_instructions'),
    set(false, 'skills', 'include_instructions'),
    set(false, 'features', 'hooks'),
    set(false, 'features', 'plugins'),
  ];
}
