import { consumers } from './consumers.ts';
import type { Envelope } from './envelope.ts';
import type { TurnSettings } from './settings.ts';

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
  /** Somebody may choose it by this setting; `telemetry.origins` says who did. */
  readonly setting?: keyof TurnSettings;
  /** Where it comes from when nobody chose. */
  readonly otherwise: 'model catalogue' | 'facts' | 'default';
}

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
  compactor,
  checkpointHooks,
  compactionRequests,
  checkpoint,
  overflow,
  activeNow,
  request,
  headers,
  firstLine,
  turnLines,
  modelRecord,
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
  budgets,
  shownOrigins,
} = consumers;

const catalogue = { otherwise: 'model catalogue' } as const;
const facts = { otherwise: 'facts' } as const;
const byDefault = { otherwise: 'default' } as const;
const profile = { setting: 'profile', otherwise: 'default' } as const;
const mode = { setting: 'collaboration', otherwise: 'default' } as const;
const realtime = { setting: 'realtime', otherwise: 'default' } as const;
const instructionRules = { setting: 'instructionRules', otherwise: 'default' } as const;
/** Every budget comes from the model's window; a setting about any of them is one about the window. */
const windowSettings = { setting: 'window', otherwise: 'model catalogue' } as const;

type Row = Omit<Ownership, 'field'>;

const fields: Readonly<Record<EnvelopeField, Row>> = {
  'identity.model.slug': {
    source: { setting: 'model', otherwise: 'default' },
    consumers: [
      request,
      turnLines,
      trace,
      modelSwitch,
      modelSection,
      personality,
      instructions,
      effortFor,
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
  'identity.model.defaultEffort': { source: catalogue, consumers: [identity, sentEffort] },
  'identity.model.supportedEfforts': { source: catalogue, consumers: [modelSwitch, effortFor, sentEffort] },
  'identity.model.defaultSummary': { source: catalogue, consumers: [identity] },
  'identity.model.defaultVerbosity': { source: catalogue, consumers: [identity] },
  'identity.model.serviceTiers': { source: catalogue, consumers: [identity, modelNotices] },
  'identity.model.modalities': { source: catalogue, consumers: [capabilities] },
  'identity.model.imageGeneration': { source: catalogue, consumers: [capabilities] },
  'identity.model.webSearch': { source: catalogue, consumers: [capabilities] },
  'identity.model.modes': { source: catalogue, consumers: [modes] },
  'identity.model.compatibility': { source: catalogue, consumers: [modelRecord, compactor] },
  'identity.model.instructions': { source: catalogue, consumers: [instructions] },
  'identity.model.guessed': { source: catalogue, consumers: [identity, modelNotices] },
  'identity.provider': {
    source: { setting: 'provider', otherwise: 'default' },
    consumers: [turnLines, firstLine, trace, modes],
  },
  'identity.modelClient': { source: byDefault, consumers: [], awaits: 'a second dialect of providers' },
  'identity.effort': {
    source: { setting: 'effort', otherwise: 'model catalogue' },
    consumers: [request, turnLines, trace, modelSwitch],
  },
  'identity.summary': {
    source: { setting: 'summary', otherwise: 'model catalogue' },
    consumers: [request, turnLines, modelSwitch],
  },
  'identity.verbosity': {
    source: { setting: 'verbosity', otherwise: 'model catalogue' },
    consumers: [request, turnLines, modelSwitch],
  },
  'identity.serviceTier': {
    source: { setting: 'serviceTier', otherwise: 'default' },
    consumers: [request, turnLines, modelSwitch],
  },
  'identity.askedTier': { source: { setting: 'serviceTier', otherwise: 'default' }, consumers: [turnLines] },
  'identity.client.name': { source: facts, consumers: [headers, firstLine] },
  'identity.client.version': { source: facts, consumers: [headers, firstLine] },
  'identity.sessionSource': { source: facts, consumers: [firstLine] },
  'identity.threadSource': { source: facts, consumers: [firstLine] },

  'workspace.environment': { source: byDefault, consumers: [], awaits: 'commands in another environment' },
  'workspace.cwd': {
    source: { setting: 'cwd', otherwise: 'facts' },
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
    source: { setting: 'baseInstructions', otherwise: 'model catalogue' },
    consumers: [firstLine, usage, instructions, activeNow, compactor, checkpoint],
  },
  'instructions.base.provenance': {
    source: { setting: 'baseInstructions', otherwise: 'model catalogue' },
    consumers: [firstLine, modelSection, instructions],
  },
  'instructions.model': { source: catalogue, consumers: [modelSection, checkpoint] },
  'instructions.developer': {
    source: { setting: 'developerInstructions', otherwise: 'default' },
    consumers: [developer],
  },
  'instructions.managed': {
    source: { setting: 'managedInstructions', otherwise: 'default' },
    consumers: [managed],
  },
  'instructions.user.maxBytes': { source: instructionRules, consumers: [agentsMdFiles, agentsMdText] },
  'instructions.user.fallbackFilenames': { source: instructionRules, consumers: [agentsMdFiles] },
  'instructions.user.rootMarkers': { source: instructionRules, consumers: [agentsMdFiles] },
  'instructions.user.cwd': {
    source: { setting: 'cwd', otherwise: 'facts' },
    consumers: [agentsMdFiles, agentsMdText],
  },
  'instructions.user.trusted': { source: facts, consumers: [agentsMdFiles] },
  'instructions.compactPrompt': {
    source: { setting: 'compactPrompt', otherwise: 'default' },
    consumers: [compactor],
  },

  'policy.approval': {
    source: { setting: 'approval', otherwise: 'default' },
    consumers: [environment, permissions, exec, patch, turnLines],
  },
  'policy.profile': { source: profile, consumers: [turnLines] },
  'policy.resolved': { source: profile, consumers: [environment, permissions, exec, patch, image, effects] },
  'policy.sandboxLevel': { source: profile, consumers: [exec, effects] },
  'policy.shellEnvironment': {
    source: { setting: 'shellEnvironment', otherwise: 'default' },
    consumers: [exec, storedEnvelope],
  },
  'policy.approvedPrefixes': {
    source: { setting: 'approvedPrefixes', otherwise: 'default' },
    consumers: [permissions, turnLines],
  },
  'policy.networkRules': {
    source: { setting: 'networkRules', otherwise: 'default' },
    consumers: [environment, permissions, turnLines],
  },
  'policy.networkProxy': { source: byDefault, consumers: [], awaits: 'a proxy between commands and the network' },

  'capabilities.tools': { source: facts, consumers: [toolSpecs, router, modelSwitch, compactor] },
  'capabilities.dynamicTools': { source: facts, consumers: [], awaits: 'tools that clients bring along' },
  'capabilities.features': {
    source: { setting: 'features', otherwise: 'default' },
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
    source: { setting: 'collaboration', otherwise: 'model catalogue' },
    consumers: [collaboration, turnLines, modelSwitch],
  },
  'modes.collaboration.given': { source: mode, consumers: [turnLines, modelSwitch] },
  'modes.personality': {
    source: { setting: 'personality', otherwise: 'default' },
    consumers: [personality, turnLines],
  },
  'modes.realtime.active': { source: realtime, consumers: [realtimeSection, turnLines] },
  'modes.realtime.startInstructions': { source: realtime, consumers: [realtimeSection] },
  'modes.review': { source: byDefault, consumers: [], awaits: 'turns that review' },
  'modes.outputSchema': { source: { setting: 'outputSchema', otherwise: 'default' }, consumers: [request] },
  'modes.compaction': { source: { setting: 'compaction', otherwise: 'default' }, consumers: [compactor] },
  'modes.cyberAccessProgram': {
    source: { setting: 'cyberAccessProgram', otherwise: 'default' },
    consumers: [request, turnLines],
  },
  'modes.leaveOut': {
    source: { setting: 'leaveOut', otherwise: 'default' },
    consumers: [apps, collaboration, environments, permissions],
  },

  'telemetry.threadId': { source: facts, consumers: [trace, exec, preview] },
  'telemetry.turnId': { source: facts, consumers: [turnLines, turn, trace, planTool] },
  'telemetry.traceId': { source: facts, consumers: [trace] },
  'telemetry.startedAt': { source: facts, consumers: [turnLines, firstLine] },
  'telemetry.readiness': { source: facts, consumers: [], awaits: 'parts that take time to start' },
  'telemetry.origins': {
    source: { setting: 'origins', otherwise: 'default' },
    consumers: [shownOrigins, turnLines],
  },

  'window.effective': {
    source: windowSettings,
    consumers: [turnLines, usage, budgets, modelSwitch, compactor, compactionRequests, checkpoint, overflow],
  },
  'window.autoCompact': { source: windowSettings, consumers: [budgets, modelSwitch, compactor] },
  'window.autoCompactScope': { source: windowSettings, consumers: [modelSwitch, compactor] },
  'window.compactionReserve': { source: windowSettings, consumers: [budgets, modelSwitch, compactor] },
  'window.checkpoint.words': { source: windowSettings, consumers: [modelSwitch, compactor] },
  'window.checkpoint.pictures': { source: windowSettings, consumers: [modelSwitch, compactor] },
  'window.checkpoint.answer': { source: windowSettings, consumers: [modelSwitch, compactor] },
  'window.checkpoint.records': { source: windowSettings, consumers: [modelSwitch, compactor] },
  'window.skills': { source: windowSettings, consumers: [budgets, modelSwitch], awaits: 'the skills plane' },
  'window.memory': { source: windowSettings, consumers: [budgets, modelSwitch], awaits: 'the memory plane' },
  'window.baseline': { source: windowSettings, consumers: [usage, budgets, modelSwitch] },
  'window.toolOutput.mode': { source: windowSettings, consumers: [history, exec, patch, budgets, modelSwitch] },
  'window.toolOutput.limit': { source: windowSettings, consumers: [history, exec, patch, budgets, modelSwitch] },
};

/** The map: one row per field, in the order of the envelope. */
export const ownership: readonly Ownership[] = Object.entries(fields).map(([field, row]) => ({
  field: field as EnvelopeField,
  ...row,
}));
