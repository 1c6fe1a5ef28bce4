import { type Envelope, resolveEnvelope } from '../../src/core/envelope/envelope.ts';
import type { TurnFacts } from '../../src/core/envelope/facts.ts';
import type { CatalogueEntry } from '../../src/core/envelope/model-record.ts';
import type { TurnSettings } from '../../src/core/envelope/settings.ts';
import type { ThreadId, TurnId } from '../../src/protocol/ids.ts';
import { factsOf, firstWorld, settingsOf } from '../harness/world.ts';

/** A model about which everything is known. */
const knownModel: Required<CatalogueEntry> = {
  slug: 'gpt-5.5',
  contextWindow: 100_000,
  maxContextWindow: 200_000,
  effectivePercent: 95,
  autoCompactTokens: 80_000,
  maxOutputTokens: 32_000,
  truncation: { mode: 'tokens', limit: 10_000 },
  defaultEffort: 'medium',
  supportedEfforts: ['low', 'medium', 'high'],
  defaultSummary: 'auto',
  defaultVerbosity: 'low',
  serviceTiers: ['priority'],
  modalities: ['text', 'image'],
  imageGeneration: true,
  webSearch: true,
  modes: { default: {} },
  compatibility: 'c1',
  instructions: 'You are gpt-5.5.',
  editTools: 'patch',
  parallelCalls: true,
};

/** Facts in which nothing is absent. The thread began with another model. */
export function fullFacts(): Required<TurnFacts> {
  return {
    ...factsOf(firstWorld, firstWorld.cwd, 1_794_720_724_810),
    catalogue: {
      models: [knownModel],
      fallback: factsOf(firstWorld, firstWorld.cwd, 0).catalogue.fallback,
      known: [{ slug: 'gpt-5.5', fields: { maxOutputTokens: 32_000 }, source: 'a test' }],
    },
    prices: [{ provider: 'scripted', model: 'gpt-5.5', input: 1, output: 2, source: 'model_prices' }],
    client: { name: 'capstan_test', version: '1', source: 'cli', threadSource: 'subagent' },
    provider: {
      address: 'https://models.example/v1',
      wire: 'responses',
      accessPrograms: 'unknown',
      sampling: { temperature: 1 },
    },
    found: {
      apps: true,
      plugins: true,
    },
    readiness: { mcp: 'starting' },
    canAsk: true,
    answersOnce: true,
    traceId: '0123456789abcdef0123456789abcdef',
    thread: {
      id: '01a1dcd3-0000-7000-8000-000000000001' as ThreadId,
      turnId: '01a1dcd3-0000-7000-8000-000000000002' as TurnId,
      base: { text: 'You are another.', provenance: { type: 'model', model: 'gpt-5' } },
    },
    tools: [
      { name: 'exec_command', effect: 'program' },
      { name: 'view_image', givesPictures: true },
    ],
  };
}

/** Settings in which nothing is absent but that nothing is to be changed. The mode is one that the model cannot run. */
export function fullSettings(): Required<Omit<TurnSettings, 'changesNothing'>> {
  return {
    ...settingsOf(firstWorld),
    fallback: { model: 'gpt-5.4' },
    limits: {
      turnTokens: 1,
      threadTokens: 2,
      turnCost: 3,
      threadCost: 4,
      continued: { tokens: 5, nanoUsd: 6, unpriced: 0 },
    },
    planEffort: 'medium',
    effort: 'high',
    summary: 'concise',
    verbosity: 'high',
    serviceTier: 'fast',
    editTools: 'patch',
    onlyTools: ['exec_command', 'mcp__*'],
    withoutTools: ['update_plan'],
    clientTools: [{ type: 'function', name: 'lookup', description: 'Looks up.', inputSchema: { type: 'object' } }],
    approvals: 'on-request',
    askedApproval: 'untrusted',
    reviewer: 'auto_review',
    reviewPolicy: 'Deny deployments.',
    rules: {
      prefixes: [{ pattern: ['git', 'log'], decision: 'allow', source: '/home/rules/default.rules:1' }],
      hosts: [],
      executables: {},
    },
    approvedPrefixes: [['git', 'log']],
    networkRules: [{ host: 'example.org', action: 'allow' }],
    baseInstructions: 'You are mine.',
    developerInstructions: 'Prefer small steps.',
    managedInstructions: 'Keep records.',
    compactPrompt: 'Sum it up.',
    compaction: 'plain',
    instructionRules: { maxBytes: 1000, fallbackFilenames: ['CLAUDE.md'], rootMarkers: ['.hg'] },
    collaboration: { mode: 'plan', instructions: 'Plan first.' },
    personality: 'friendly',
    realtime: { active: true, startInstructions: 'Speak.' },
    leaveOut: ['apps'],
    features: { one: true, two: false },
    window: { contextWindow: 150_000, effectivePercent: 80 },
    origins: { effort: 'user', window: 'profile wide' },
    outputSchema: { type: 'object' },
    cyberAccessProgram: 'standard',
  };
}

/**
 * An envelope with every optional field in it. Some exclude each other in one resolution: guidance that the model did not
 * run with comes from a mode that it can run, a tier that was asked for in vain stands where none is, and an access
 * program is known to one provider.
 */
export function fullEnvelope(): Envelope {
  const envelope = resolveEnvelope(fullFacts(), fullSettings());
  const { modes } = resolveEnvelope(fullFacts(), {
    ...fullSettings(),
    collaboration: { mode: 'default', instructions: 'Go.' },
  });
  const provider = { ...fullFacts().provider, accessPrograms: 'known' } as const;
  const other = resolveEnvelope({ ...fullFacts(), provider }, { ...fullSettings(), serviceTier: 'none such' });
  const { mode, asked, given } = envelope.modes.collaboration;
  const collaboration = { mode, asked: asked!, instructions: modes.collaboration.instructions!, given: given! };
  const { serviceTier, ...identity } = envelope.identity;
  const { leaveOut, ...others } = envelope.modes;
  const { resolved, ...policy } = envelope.policy;
  const { approval, askedApproval, reviewer, reviewPolicy, profile, networkRules, networkProxy, ...rest } = policy;
  const asPlanned = { askedPrefixes: rest.approvedPrefixes, networkRules, networkProxy };
  const chosenPolicy = { approval, askedApproval: askedApproval!, reviewer: reviewer!, reviewPolicy: reviewPolicy! };
  const { modelClient, effort, summary, verbosity, chosen, model, provider: id, address, ...client } = identity;
  return {
    ...envelope,
    identity: {
      model,
      provider: id,
      address: address!,
      modelClient,
      effort: effort!,
      summary: summary!,
      verbosity: verbosity!,
      chosen,
      serviceTier: serviceTier!,
      askedTier: other.identity.askedTier!,
      ...client,
    },
    // A mode that keeps the turn from writing is not the one that the model cannot run.
    policy: {
      ...chosenPolicy,
      profile,
      changesNothing: 'mode',
      askedProfile: profile,
      resolved,
      ...rest,
      ...asPlanned,
    },
    modes: { ...others, collaboration, cyberAccessProgram: other.modes.cyberAccessProgram!, leaveOut },
  };
}
