import { consumers } from './consumers.ts';
import type { Envelope } from './envelope.ts';
import type { RealtimeSetting, TurnSettings, WindowSettings } from './settings.ts';

/** Who fills a field of the envelope and who reads it. */
export interface Ownership {
  /** Its dotted name. */
  readonly field: EnvelopeField;
  readonly source: FieldSource;
  /**
   * Source files that read it. Two are not listed because they take in every field: `state/stored-envelope.ts`, which
   * keeps it in the rollout, and `surfaces/envelope/`, which shows it.
   */
  readonly consumers: readonly string[];
  /** What will read it and is not there yet. Until then the field is kept and shown, and nothing more. */
  readonly awaits?: string;
}

export interface FieldSource {
  /** The settings by which it can be chosen, the one that counts first; `telemetry.origins` says who chose. */
  readonly settings?: readonly SettingPath[];
  /** Where it comes from when nobody chose. */
  readonly otherwise: 'model catalogue' | 'default of the model' | 'facts' | 'default' | 'effective window';
}

/** A setting, or a part of one that is chosen by itself. */
export type SettingPath =
  | keyof TurnSettings
  | `window.${keyof WindowSettings}`
  | `instructionRules.${keyof NonNullable<TurnSettings['instructionRules']>}`
  | `realtime.${keyof RealtimeSetting}`;

/** The dotted name of every field. A field whose insides are read as one value has one name. */
export type EnvelopeField = Fields<Envelope, ''>;

type Fields<Value, Path extends string> = {
  [Key in keyof Value & string]-?: Field<NonNullable<Value[Key]>, `${Path}${Key}`>;
}[keyof Value & string];

type Field<Value, Path extends string> = Path extends WholeField
  ? Path
  : Value extends string | number | boolean | readonly unknown[]
    ? Path
    : string extends keyof Value
      ? Path
      : Fields<Value, `${Path}.`>;

type WholeField =
  | 'identity.model.modes'
  | 'workspace.places'
  | 'instructions.base.provenance'
  | 'policy.profile'
  | 'policy.resolved'
  | 'policy.shellEnvironment';

const {
  effortProblem,
  promptSize,
  turnEnd,
  compactor,
  checkpointHooks,
  compactionRequests,
  checkpoint,
  overflow,
  activeNow,
  farFromFull,
  request,
  headers,
  firstLine,
  turnLines,
  modelRecord,
  modelDefaults,
  effortFor,
  sentEffort,
  storedEnvelope,
  effects,
  trace,
  usage,
  history,
  turn,
  preview,
  modelSwitch,
  modelNotices,
  identity,
  instructions,
  policyGroup,
  capabilities,
  modes,
  window,
  environment,
  environments,
  permissions,
  collaboration,
  modelSection,
  personality,
  realtimeSection,
  developer,
  managed,
  apps,
  plugins,
  skills,
  sessionContext,
  toolSpecs,
  router,
  exec,
  patch,
  applyPatch,
  image,
  planTool,
  agentsMdFiles,
  agentsMdText,
  agentsMdGuard,
  budgets,
  shownOrigins,
} = consumers;

const catalogue = { otherwise: 'model catalogue' } as const;
const facts = { otherwise: 'facts' } as const;
const byDefault = { otherwise: 'default' } as const;
const profile = { settings: ['profile'], otherwise: 'default' } as const;
const mode = { settings: ['collaboration'], otherwise: 'default' } as const;
/** A budget without a setting of its own is a share of the effective window. */
const share = { otherwise: 'effective window' } as const;

type Row = Omit<Ownership, 'field'>;

const fields: Readonly<Record<EnvelopeField, Row>> = {
  'identity.model.slug': {
    source: { settings: ['model'], otherwise: 'default' },
    consumers: [
      request,
      turnLines,
      trace,
      modelSwitch,
      modelSection,
      personality,
      instructions,
      effortFor,
      effortProblem,
      promptSize,
      compactor,
      checkpoint,
      overflow,
    ],
  },
  'identity.model.contextWindow': { source: catalogue, consumers: [window] },
  'identity.model.maxContextWindow': { source: catalogue, consumers: [window] },
  'identity.model.effectivePercent': { source: catalogue, consumers: [window] },
  'identity.model.autoCompactTokens': { source: catalogue, consumers: [window] },
  'identity.model.truncation.mode': { source: catalogue, consumers: [window] },
  'identity.model.truncation.limit': { source: catalogue, consumers: [window] },
  'identity.model.defaultEffort': { source: catalogue, consumers: [modelDefaults, sentEffort] },
  'identity.model.supportedEfforts': {
    source: catalogue,
    consumers: [modelSwitch, effortFor, effortProblem, sentEffort],
  },
  'identity.model.defaultSummary': { source: catalogue, consumers: [modelDefaults] },
  'identity.model.defaultVerbosity': { source: catalogue, consumers: [modelDefaults] },
  'identity.model.serviceTiers': { source: catalogue, consumers: [identity, modelNotices] },
  'identity.model.modalities': { source: catalogue, consumers: [capabilities] },
  'identity.model.imageGeneration': { source: catalogue, consumers: [capabilities] },
  'identity.model.webSearch': { source: catalogue, consumers: [capabilities] },
  'identity.model.modes': { source: catalogue, consumers: [modes] },
  'identity.model.compatibility': { source: catalogue, consumers: [modelRecord, compactor] },
  'identity.model.instructions': { source: catalogue, consumers: [instructions, modelSection] },
  'identity.model.guessed': {
    source: catalogue,
    consumers: [identity, modelNotices, effortFor, effortProblem, window],
  },
  'identity.provider': {
    source: { settings: ['provider'], otherwise: 'default' },
    consumers: [turnLines, firstLine, trace, modes],
  },
  'identity.modelClient': { source: byDefault, consumers: [], awaits: 'a second dialect of providers' },
  'identity.effort': {
    source: { settings: ['effort'], otherwise: 'default of the model' },
    consumers: [request, turnLines, trace, modelSwitch],
  },
  'identity.summary': {
    source: { settings: ['summary'], otherwise: 'default of the model' },
    consumers: [request, turnLines, modelSwitch],
  },
  'identity.verbosity': {
    source: { settings: ['verbosity'], otherwise: 'default of the model' },
    consumers: [request, modelSwitch],
  },
  'identity.chosen.effort': {
    source: { settings: ['effort'], otherwise: 'default of the model' },
    consumers: [turnLines],
  },
  'identity.chosen.summary': {
    source: { settings: ['summary'], otherwise: 'default of the model' },
    consumers: [turnLines],
  },
  'identity.chosen.verbosity': {
    source: { settings: ['verbosity'], otherwise: 'default of the model' },
    consumers: [turnLines],
  },
  'identity.serviceTier': {
    source: { settings: ['serviceTier'], otherwise: 'default' },
    consumers: [request, turnLines, modelSwitch],
  },
  'identity.askedTier': { source: { settings: ['serviceTier'], otherwise: 'default' }, consumers: [turnLines] },
  'identity.client.name': { source: facts, consumers: [headers, firstLine] },
  'identity.client.version': { source: facts, consumers: [headers, firstLine] },
  'identity.sessionSource': { source: facts, consumers: [firstLine] },
  'identity.threadSource': { source: facts, consumers: [firstLine] },

  'workspace.environment': { source: byDefault, consumers: [], awaits: 'commands in another environment' },
  'workspace.cwd': {
    source: { settings: ['cwd'], otherwise: 'facts' },
    consumers: [
      effects,
      environment,
      permissions,
      exec,
      patch,
      applyPatch,
      image,
      turnLines,
      firstLine,
      instructions,
      policyGroup,
      checkpointHooks,
    ],
  },
  'workspace.roots': { source: facts, consumers: [environment, turnLines] },
  'workspace.places': { source: facts, consumers: [policyGroup, turnLines] },
  'workspace.trust': { source: facts, consumers: [instructions] },
  'workspace.shell.name': { source: facts, consumers: [environment] },
  'workspace.shell.path': { source: facts, consumers: [exec] },
  'workspace.date': { source: facts, consumers: [turnLines, preview] },
  'workspace.timezone': { source: facts, consumers: [environment, turnLines] },

  'instructions.base.text': {
    source: { settings: ['baseInstructions'], otherwise: 'model catalogue' },
    consumers: [firstLine, usage, instructions, activeNow, farFromFull, promptSize, compactor, checkpoint],
  },
  'instructions.base.provenance': {
    source: { settings: ['baseInstructions'], otherwise: 'model catalogue' },
    consumers: [firstLine, modelSection, instructions],
  },
  'instructions.model': { source: catalogue, consumers: [modelSection, checkpoint] },
  'instructions.developer': {
    source: { settings: ['developerInstructions'], otherwise: 'default' },
    consumers: [developer],
  },
  'instructions.managed': {
    source: { settings: ['managedInstructions'], otherwise: 'default' },
    consumers: [managed],
  },
  'instructions.user.maxBytes': {
    source: { settings: ['instructionRules.maxBytes'], otherwise: 'default' },
    consumers: [agentsMdFiles, agentsMdText],
  },
  'instructions.user.fallbackFilenames': {
    source: { settings: ['instructionRules.fallbackFilenames'], otherwise: 'default' },
    consumers: [agentsMdFiles],
  },
  'instructions.user.rootMarkers': {
    source: { settings: ['instructionRules.rootMarkers'], otherwise: 'default' },
    consumers: [agentsMdFiles],
  },
  'instructions.user.cwd': {
    source: { settings: ['cwd'], otherwise: 'facts' },
    consumers: [agentsMdFiles, agentsMdText],
  },
  'instructions.user.trusted': { source: facts, consumers: [agentsMdFiles] },
  'instructions.compactPrompt': {
    source: { settings: ['compactPrompt'], otherwise: 'default' },
    consumers: [compactor],
  },

  'policy.approval': {
    source: { settings: ['approval'], otherwise: 'default' },
    consumers: [environment, permissions, exec, patch, capabilities, turnLines],
  },
  'policy.askedApproval': {
    source: { settings: ['askedApproval'], otherwise: 'default' },
    consumers: [turnLines],
  },
  'policy.profile': { source: profile, consumers: [turnLines] },
  'policy.resolved': {
    source: profile,
    consumers: [environment, permissions, exec, patch, image, effects, agentsMdGuard],
  },
  'policy.sandboxLevel': { source: profile, consumers: [capabilities, exec, effects] },
  'policy.shellEnvironment': {
    source: { settings: ['shellEnvironment'], otherwise: 'default' },
    consumers: [exec, storedEnvelope],
  },
  'policy.approvedPrefixes': {
    source: { settings: ['approvedPrefixes'], otherwise: 'default' },
    consumers: [permissions, turnLines],
  },
  'policy.networkRules': {
    source: { settings: ['networkRules'], otherwise: 'default' },
    consumers: [environment, permissions, turnLines],
  },
  'policy.networkProxy': { source: byDefault, consumers: [], awaits: 'a proxy between commands and the network' },

  'capabilities.tools': { source: facts, consumers: [toolSpecs, router, exec, modelSwitch, compactor] },
  'capabilities.dynamicTools': { source: facts, consumers: [], awaits: 'tools that clients bring along' },
  'capabilities.features': {
    source: { settings: ['features'], otherwise: 'default' },
    consumers: [],
    awaits: 'features behind gates',
  },
  'capabilities.modalities': { source: catalogue, consumers: [request, modelSwitch, compactor] },
  'capabilities.imageGeneration': { source: catalogue, consumers: [modelSwitch] },
  'capabilities.webSearch': { source: catalogue, consumers: [modelSwitch] },
  'capabilities.apps': { source: facts, consumers: [apps] },
  'capabilities.plugins': { source: facts, consumers: [plugins] },
  'capabilities.skills': { source: facts, consumers: [skills] },
  'capabilities.hooks.sessionContext': { source: facts, consumers: [sessionContext] },

  'modes.collaboration.mode': { source: mode, consumers: [collaboration, turnLines, modelSwitch] },
  'modes.collaboration.asked': { source: mode, consumers: [turnLines, modelSwitch] },
  'modes.collaboration.instructions': {
    source: { settings: ['collaboration'], otherwise: 'model catalogue' },
    consumers: [collaboration, turnLines, modelSwitch],
  },
  'modes.collaboration.given': { source: mode, consumers: [turnLines, modelSwitch] },
  'modes.personality': {
    source: { settings: ['personality'], otherwise: 'default' },
    consumers: [personality, turnLines],
  },
  'modes.realtime.active': {
    source: { settings: ['realtime.active'], otherwise: 'default' },
    consumers: [realtimeSection, turnLines],
  },
  'modes.realtime.startInstructions': {
    source: { settings: ['realtime.startInstructions'], otherwise: 'default' },
    consumers: [realtimeSection],
  },
  'modes.review': { source: byDefault, consumers: [], awaits: 'turns that review' },
  'modes.outputSchema': { source: { settings: ['outputSchema'], otherwise: 'default' }, consumers: [request, turnEnd] },
  'modes.compaction': { source: { settings: ['compaction'], otherwise: 'default' }, consumers: [compactor] },
  'modes.cyberAccessProgram': {
    source: { settings: ['cyberAccessProgram'], otherwise: 'default' },
    consumers: [request, turnLines],
  },
  'modes.leaveOut': {
    source: { settings: ['leaveOut'], otherwise: 'default' },
    consumers: [apps, collaboration, environments, permissions],
  },

  'telemetry.threadId': { source: facts, consumers: [trace, exec, preview] },
  'telemetry.turnId': { source: facts, consumers: [turnLines, turn, trace, planTool] },
  'telemetry.traceId': { source: facts, consumers: [trace] },
  'telemetry.startedAt': { source: facts, consumers: [turnLines, firstLine] },
  'telemetry.readiness': { source: facts, consumers: [], awaits: 'parts that take time to start' },
  'telemetry.origins': {
    source: { settings: ['origins'], otherwise: 'default' },
    consumers: [shownOrigins, turnLines],
  },

  'window.effective': {
    source: {
      settings: ['window.effectiveTokens', 'window.effectivePercent', 'window.contextWindow'],
      otherwise: 'model catalogue',
    },
    consumers: [
      turnLines,
      usage,
      budgets,
      modelSwitch,
      compactor,
      compactionRequests,
      checkpoint,
      overflow,
      promptSize,
    ],
  },
  'window.autoCompact': {
    source: {
      settings: ['window.autoCompactTokens', 'window.autoCompactPercent', 'window.reservePercent'],
      otherwise: 'effective window',
    },
    consumers: [budgets, modelSwitch, compactor],
  },
  'window.autoCompactScope': {
    source: { settings: ['window.autoCompactScope'], otherwise: 'default' },
    consumers: [modelSwitch, compactor],
  },
  'window.compactionReserve': {
    source: { settings: ['window.reservePercent', 'window.autoCompactPercent'], otherwise: 'effective window' },
    consumers: [budgets, modelSwitch, compactor],
  },
  'window.checkpoint.words': { source: share, consumers: [modelSwitch, compactor] },
  'window.checkpoint.pictures': { source: share, consumers: [modelSwitch, compactor] },
  'window.checkpoint.answer': { source: share, consumers: [modelSwitch, compactor] },
  'window.checkpoint.records': { source: share, consumers: [modelSwitch, compactor] },
  'window.skills': {
    source: { settings: ['window.skillsPercent'], otherwise: 'effective window' },
    consumers: [budgets, modelSwitch],
    awaits: 'the skills plane',
  },
  'window.memory': {
    source: { settings: ['window.memoryPercent'], otherwise: 'effective window' },
    consumers: [budgets, modelSwitch],
    awaits: 'the memory plane',
  },
  'window.baseline': {
    source: { settings: ['window.baselineTokens'], otherwise: 'default' },
    consumers: [usage, budgets, modelSwitch],
  },
  'window.toolOutput.mode': { source: catalogue, consumers: [history, exec, patch, budgets, modelSwitch] },
  'window.toolOutput.limit': {
    source: { settings: ['window.toolOutputTokens'], otherwise: 'model catalogue' },
    consumers: [history, exec, patch, budgets, modelSwitch],
  },
};

/** The map: one row per field, in the order of the envelope. */
export const ownership: readonly Ownership[] = Object.entries(fields).map(([field, row]) => ({
  field: field as EnvelopeField,
  ...row,
}));
