import { words } from '../config/keys/key-kinds.ts';
import { consumerTable } from './consumers.ts';
import type { Envelope } from './envelope.ts';
import type { RealtimeSetting, SpendingLimits, TurnSettings, WindowSettings } from './settings.ts';

export interface FieldOwnership {
  readonly field: EnvelopeField;
  readonly source: FieldSource;
  /** Its readers, without the two that read every field: `drafts/turn-lines.ts`, and the page that shows it. */
  readonly consumers: readonly EnvelopeConsumer[];
  readonly awaits?: string;
}

export interface FieldSource {
  /** The settings that can choose it, in order of precedence; `telemetry.origins` says who chose. */
  readonly settings?: readonly SettingPath[];
  readonly otherwise: 'model catalogue' | 'default of the model' | 'facts' | 'default' | 'effective window';
}

/** A setting, or a part of one that is chosen by itself. */
export type SettingPath =
  | keyof TurnSettings
  | `window.${keyof WindowSettings}`
  | `limits.${keyof SpendingLimits}`
  | `instructionRules.${keyof NonNullable<TurnSettings['instructionRules']>}`
  | `realtime.${keyof RealtimeSetting}`;

/** The dotted name of every field. A field that is read as one value has one name. */
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
  | 'identity.price'
  | 'identity.sampling'
  | 'identity.model.modes'
  | 'identity.model.sources'
  | 'workspace.places'
  | 'instructions.base.provenance'
  | 'policy.approval'
  | 'policy.askedApproval'
  | 'policy.limits.continued'
  | 'policy.profile'
  | 'policy.askedProfile'
  | 'policy.resolved'
  | 'policy.rules'
  | 'policy.shellEnvironment'
  | 'window.shares';

type Row = Omit<FieldOwnership, 'field' | 'consumers'>;

function chosen(otherwise: FieldSource['otherwise'], ...settings: readonly SettingPath[]): Row {
  return { source: { settings, otherwise } };
}

const catalogue: Row = { source: { otherwise: 'model catalogue' } };
const facts: Row = { source: { otherwise: 'facts' } };
const byDefault: Row = { source: { otherwise: 'default' } };
/** A budget without a setting of its own is a share of the effective window. */
const share: Row = { source: { otherwise: 'effective window' } };
const ofShares = ['window.autoCompactPercent', 'window.reservePercent'] as const;
const ofModel = chosen('model catalogue', 'window.effectiveTokens', 'window.effectivePercent', 'window.contextWindow');
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** Rows of neighbouring fields with one source. */
const each = <Group extends string, Names extends string>(row: Row, group: Group, names: Names) =>
  Object.fromEntries(words(names).map((name) => [`${group}.${name}`, row])) as Readonly<
    Record<`${Group}.${Words<Names>}`, Row>
  >;

const fields = {
  'identity.model.slug': chosen('default', 'model'),
  ...each(catalogue, 'identity.model', 'contextWindow maxContextWindow effectivePercent autoCompactTokens'),
  ...each(catalogue, 'identity.model', 'maxOutputTokens truncation.mode truncation.limit'),
  ...each(catalogue, 'identity.model', 'defaultEffort supportedEfforts defaultSummary defaultVerbosity'),
  ...each(catalogue, 'identity.model', 'serviceTiers modalities imageGeneration webSearch modes compatibility'),
  ...each(catalogue, 'identity.model', 'instructions editTools parallelCalls guessed sources'),
  'identity.provider': chosen('default', 'provider'),
  ...each(facts, 'identity', 'address modelClient'),
  'identity.effort': chosen('default of the model', 'effort', 'planEffort'),
  'identity.summary': chosen('default of the model', 'summary'),
  'identity.verbosity': chosen('default of the model', 'verbosity'),
  'identity.chosen.effort': chosen('default of the model', 'effort'),
  'identity.chosen.summary': chosen('default of the model', 'summary'),
  'identity.chosen.verbosity': chosen('default of the model', 'verbosity'),
  ...each(chosen('default', 'serviceTier'), 'identity', 'serviceTier askedTier'),
  ...each(facts, 'identity', 'price sampling client.name client.version sessionSource threadSource'),

  'workspace.environment': { ...byDefault, awaits: 'commands in another environment' },
  'workspace.cwd': chosen('facts', 'cwd'),
  ...each(facts, 'workspace', 'roots places trust shell.name shell.path date timezone'),

  ...each(chosen('model catalogue', 'baseInstructions'), 'instructions.base', 'text provenance'),
  'instructions.model': catalogue,
  'instructions.developer': chosen('default', 'developerInstructions'),
  'instructions.managed': chosen('default', 'managedInstructions'),
  'instructions.user.maxBytes': chosen('default', 'instructionRules.maxBytes'),
  'instructions.user.fallbackFilenames': chosen('default', 'instructionRules.fallbackFilenames'),
  'instructions.user.rootMarkers': chosen('default', 'instructionRules.rootMarkers'),
  'instructions.user.cwd': chosen('facts', 'cwd'),
  'instructions.user.trusted': facts,
  'instructions.compactPrompt': chosen('default', 'compactPrompt'),

  'policy.approval': chosen('default', 'approvals'),
  'policy.askedApproval': chosen('default', 'askedApproval'),
  'policy.reviewer': chosen('default', 'reviewer'),
  'policy.reviewPolicy': chosen('default', 'reviewPolicy'),
  'policy.profile': chosen('default', 'sandbox', 'collaboration', 'changesNothing'),
  'policy.changesNothing': chosen('default', 'changesNothing', 'collaboration'),
  'policy.askedProfile': chosen('default', 'sandbox'),
  'policy.resolved': chosen('default', 'sandbox', 'collaboration', 'changesNothing', 'networkRules'),
  'policy.limits.turnTokens': chosen('default', 'limits.turnTokens'),
  'policy.limits.threadTokens': chosen('default', 'limits.threadTokens'),
  'policy.limits.turnCost': chosen('default', 'limits.turnCost'),
  'policy.limits.threadCost': chosen('default', 'limits.threadCost'),
  ...each(facts, 'policy', 'limits.continued canAsk hasUser answersOnce'),
  'policy.sandboxLevel': chosen('default', 'sandbox'),
  'policy.shellEnvironment': chosen('default', 'shellEnvironment'),
  'policy.rules': chosen('default', 'rules'),
  'policy.approvedPrefixes': chosen('default', 'approvedPrefixes', 'collaboration'),
  'policy.askedPrefixes': chosen('default', 'approvedPrefixes'),
  'policy.networkRules': chosen('default', 'networkRules'),
  'policy.networkProxy': chosen('default', 'sandbox', 'networkRules'),

  'capabilities.tools': facts,
  'capabilities.features': chosen('default', 'features'),
  'capabilities.editTools': chosen('model catalogue', 'editTools'),
  ...each(catalogue, 'capabilities', 'modalities imageGeneration webSearch'),
  ...each(facts, 'capabilities', 'apps plugins'),
  'capabilities.onlyTools': chosen('default', 'onlyTools'),
  'capabilities.withoutTools': chosen('default', 'withoutTools'),
  'capabilities.clientTools': chosen('default', 'clientTools'),

  ...each(chosen('default', 'collaboration'), 'modes.collaboration', 'mode asked'),
  'modes.collaboration.instructions': chosen('model catalogue', 'collaboration'),
  'modes.collaboration.given': chosen('default', 'collaboration'),
  'modes.personality': chosen('default', 'personality'),
  'modes.realtime.active': chosen('default', 'realtime.active'),
  'modes.realtime.startInstructions': chosen('default', 'realtime.startInstructions'),
  'modes.outputSchema': chosen('default', 'outputSchema'),
  'modes.compaction': chosen('default', 'compaction'),
  'modes.cyberAccessProgram': chosen('default', 'cyberAccessProgram'),
  'modes.leaveOut': chosen('default', 'leaveOut'),

  ...each(facts, 'telemetry', 'threadId turnId traceId startedAt'),
  'telemetry.readiness': { ...facts, awaits: 'parts that take time to start' },
  'telemetry.origins': chosen('default', 'origins'),

  ...each(ofModel, 'window', 'effective configured'),
  'window.autoCompact': chosen('effective window', 'window.autoCompactTokens', ...ofShares),
  'window.mostAutoCompact': chosen('effective window', ...ofShares),
  'window.autoCompactScope': chosen('default', 'window.autoCompactScope'),
  'window.compactionReserve': chosen('effective window', 'window.reservePercent', 'window.autoCompactPercent'),
  ...each(share, 'window.checkpoint', 'words pictures answer records'),
  'window.skills': chosen('effective window', 'window.skillsTokens', 'window.skillsPercent'),
  'window.memory': chosen('effective window', 'window.memoryPercent'),
  'window.baseline': chosen('default', 'window.baselineTokens'),
  'window.toolOutput.mode': catalogue,
  'window.toolOutput.limit': chosen('model catalogue', 'window.toolOutputTokens'),
  'window.shares': chosen('default', 'window'),
} satisfies Readonly<Record<EnvelopeField, Row>>;

/** A source that reads the envelope: its purpose, its path, and the fields or groups that it reads. */
export type EnvelopeConsumer = { readonly role: string; readonly path: string; readonly reads: readonly string[] };

export function mapFieldOwnership(table: string): readonly FieldOwnership[] {
  const consumers = table.trim().split('\n').map(readConsumer);
  return Object.entries<Row>(fields).map(([field, row]) => ({
    field: field as EnvelopeField,
    consumers: consumers.filter(({ reads }) => reads.some((part) => part === field || field.startsWith(`${part}.`))),
    ...row,
  }));
}

function readConsumer(row: string): EnvelopeConsumer {
  const [role = '', path = '', reads = ''] = row.split(' | ');
  return { role, path, reads: reads.split(' ') };
}

/** One row per field, in the order of the envelope. */
export const fieldOwnership: readonly FieldOwnership[] = mapFieldOwnership(consumerTable);
