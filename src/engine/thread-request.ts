import {
  stringOption,
  choiceOption,
  booleanOption,
  listOption,
  functionOption,
  nonBlankStringOption,
  validateOptions,
  positiveNumberOption,
  recordOption,
  objectWithMethods,
  trueOnlyOption,
  wholeNumberOption,
} from '../core/envelope/read-options.ts';
import type { OptionProblem, OptionReaders, OptionType } from '../core/envelope/read-options.ts';
import {
  approvalOption,
  clientToolsOption,
  personalities,
  approvalReviewers,
  sandboxOption,
  reasoningSummaryModes,
  serviceTierOption,
} from '../core/envelope/read-settings-change.ts';
import { configSchema } from '../core/config/keys/key-table.ts';
import { nearestConfigKey } from '../core/config/keys/check-values.ts';
import { wrongProfileValue } from '../core/policy/profiles/profile-entries.ts';
import type { Personality, SpendingLimits } from '../core/envelope/settings.ts';
import type { ConfigOverrides } from '../adapters/gather/config/config-layers.ts';
import type { SandboxSetting } from '../core/policy/profiles/read-profile.ts';
import type { AskUser, RuleBook } from '../ports/ask-user.ts';
import type { AgentIdentity } from '../protocol/agent.ts';
import type { ClientTool } from '../protocol/client-tool.ts';
import type { ApprovalPolicy } from '../protocol/permissions.ts';
import type { TurnId } from '../protocol/ids.ts';
import type { ApprovalsReviewer } from '../protocol/question.ts';
import type { ThreadCut } from '../protocol/thread.ts';
import type { CheckpointHooks } from './thread/thread-parts.ts';
import type { ThreadOptions } from './thread/thread-opening.ts';
import { type OwnTool, ownToolOption } from '../adapters/tools/own-tool.ts';
import { configOption, engineOptions } from './engine-options.ts';

/** Options of one thread, from its opening until it is closed. Threads of one engine may differ. */
export interface ThreadRequest extends Omit<ThreadOptions, 'settings'> {
  /** Absolute. A resumed thread keeps its own folder by default. */
  readonly cwd?: string;
  /** These override the configuration and the settings of a resumed thread, and the thread remembers them. */
  readonly model?: string;
  readonly provider?: string;
  readonly effort?: string;
  readonly summary?: (typeof reasoningSummaryModes)[number];
  readonly serviceTier?: string;
  readonly personality?: Personality;
  /** Refused if the administrator does not allow it. */
  readonly sandbox?: SandboxSetting;
  /** Refused if the administrator forbids it and allows no narrower policy in its place. */
  readonly approvals?: ApprovalPolicy;
  readonly reviewer?: ApprovalsReviewer;
  /** Spending limits of its turns and of the thread. Absent ones are as configured. */
  readonly limits?: SpendingLimits;
  /** The name of a configured profile, instead of the engine's. */
  readonly profile?: string;
  /** Overrides the engine's configuration and the settings of a resumed thread, but not the options above. */
  readonly config?: ConfigOverrides;
  /**
   * The only configuration keys that count for the thread, besides `config` and the administrator's. It then reads no
   * AGENTS.md, and without `projects` among the keys nothing of its folder. Absent: all.
   */
  readonly onlyConfig?: readonly string[];
  /** Offered to the model beside the built-in ones. */
  readonly tools?: readonly OwnTool[];
  /** Tools that this program's clients answer by question: see the kind `client-tool`. The thread remembers them. */
  readonly clientTools?: readonly ClientTool[];
  /** The model is offered only these tools and `tools`, also in agents. A final `*` matches any ending. */
  readonly onlyTools?: readonly string[];
  /** Names of tools that the model is not offered; does not affect `tools`. The thread remembers them. */
  readonly withoutTools?: readonly string[];
  /** Whatever rules allow, only the user's answer lets a command write. The thread remembers it. */
  readonly changesNothing?: true;
  /** Keeps nothing of the thread on the disk. */
  readonly ephemeral?: boolean;
  /** Answers questions about calls. Absent: the user cannot be asked, and such calls are refused. */
  readonly askUser?: AskUser;
  /** Saves the rules that answers allow. Absent: none are saved. */
  readonly ruleBook?: RuleBook;
  /** Asked before history is compacted, and notified afterwards. */
  readonly checkpointHooks?: CheckpointHooks;
  /** For whom the thread is started; default: `user`. */
  readonly threadSource?: string;
  /** Applies while this program has the thread open, whatever is configured. The thread remembers its own policy. */
  readonly heldApprovals?: ApprovalPolicy;
  /** `heldApprovals` only holds because no user can be asked: it does not apply if a reviewer answers. */
  readonly unlessReviewed?: boolean;
  /** The folder may be gone: the thread is opened to be moved with `overrideTurnContext`. Commands fail until it is. */
  readonly folderMayBeMissing?: true;
  /** The parent that it works for, and its own identity among agents. Absent: it works for no other thread. */
  readonly agent?: AgentIdentity;
}

const names = listOption(nonBlankStringOption, 'a list of names');

/** A misspelt key would be silently left out of the thread. */
const configKey: OptionType<string> = {
  expected: 'a top-level key of config.toml',
  read(given) {
    const known = [...Object.keys(configSchema.keys), ...configSchema.unused];
    if (typeof given !== 'string' || known.includes(given)) return nonBlankStringOption.read(given);
    const nearest = nearestConfigKey(given, known);
    const why = `config.toml has no top-level key ${JSON.stringify(given)}.`;
    const wrong = wrongProfileValue('', this.expected, given);
    return { ...wrong, why: nearest === undefined ? why : `${why} Did you mean ${nearest}?` };
  },
};

/** In the order of the documentation. */
export const threadOptions = {
  cwd: { type: stringOption, about: 'The folder it works in, as an absolute path. A resumed thread keeps its own.' },
  model: { type: nonBlankStringOption, about: 'The model.' },
  provider: { type: nonBlankStringOption, about: 'The provider of the model, by its id in the configuration.' },
  effort: { type: nonBlankStringOption, about: 'How much the model reasons, such as `low` or `high`.' },
  summary: {
    type: choiceOption(...reasoningSummaryModes),
    about: 'Summaries of reasoning: `auto`, `concise`, `detailed` or `none`.',
  },
  serviceTier: { type: serviceTierOption, about: 'The service tier, such as `fast`.' },
  personality: { type: choiceOption(...personalities), about: 'How it writes: `none`, `friendly` or `pragmatic`.' },
  sandbox: {
    type: sandboxOption,
    about:
      'What commands may access: `read-only`, `workspace-write`, `danger-full-access`, or an object: a sandbox policy or a permission profile.',
  },
  approvals: {
    type: approvalOption,
    about: 'When Capstan asks: `untrusted`, `on-request`, `never`, or an object with `granular`.',
  },
  reviewer: { type: choiceOption(...approvalReviewers), about: 'Who answers questions: `user` or `auto_review`.' },
  limits: {
    type: recordOption<SpendingLimits>('an object with limits', {
      turnTokens: { type: wholeNumberOption },
      threadTokens: { type: wholeNumberOption },
      turnCost: { type: positiveNumberOption },
      threadCost: { type: positiveNumberOption },
    }),
    about: 'What a turn and the thread may cost: `turnTokens`, `threadTokens`, `turnCost`, `threadCost`.',
  },
  profile: { type: nonBlankStringOption, about: 'A configuration profile, by its name.' },
  config: { type: configOption, about: 'Configuration keys by their names in config.toml.' },
  onlyConfig: {
    type: listOption(configKey, 'a list of keys'),
    about: 'The keys of the configuration that it takes. Such a thread reads no AGENTS.md.',
  },
  tools: { type: listOption(ownToolOption, 'a list of tools'), about: 'Tools that run inside your program.' },
  clientTools: { type: clientToolsOption, about: 'Tools that your clients answer.' },
  onlyTools: { type: names, about: 'The only tools that the model gets, besides `tools`.' },
  withoutTools: { type: names, about: 'Tools that the model does not get.' },
  changesNothing: { type: trueOnlyOption, about: 'Commands write nothing, unless the user allows one.' },
  ephemeral: { type: booleanOption, about: 'Keeps nothing on disk.' },
  askUser: {
    type: objectWithMethods<AskUser>('an object with ask', {
      answersOnce: { type: trueOnlyOption },
      ask: { type: functionOption(), required: true },
      isThere: { type: functionOption() },
    }),
    about: 'Answers questions about calls.',
  },
  ruleBook: {
    type: objectWithMethods<RuleBook>('an object with save', { save: { type: functionOption(), required: true } }),
    about: 'Saves the rules that answers allow.',
  },
  listener: { type: functionOption(), about: 'Gets every event, from the first one on.' },
  provisional: { type: functionOption(), about: 'Gets text and output while they arrive.' },
  checkpointHooks: {
    type: objectWithMethods<CheckpointHooks>('an object with before or after', {
      before: { type: functionOption() },
      after: { type: functionOption() },
    }),
    about: '`before` may stop a compaction, `after` is notified of it.',
  },
  compactsAfterTurns: { type: booleanOption, about: '`false`: no compaction follows a turn by itself.' },
  threadSource: { type: nonBlankStringOption, about: 'For whom the thread is started; `user` by default.' },
  heldApprovals: {
    type: approvalOption,
    about: 'A policy that holds while your program has the thread open. The thread remembers its own.',
  },
  unlessReviewed: { type: booleanOption, about: '`heldApprovals` does not hold where a reviewer answers.' },
  turnFollows: {
    type: booleanOption,
    about: 'You submit a turn at once, so that Capstan looks at the folder only once.',
  },
  folderMayBeMissing: { type: trueOnlyOption, about: 'Opens a thread whose folder is gone, to move it.' },
  agent: {
    type: recordOption<AgentIdentity>('the identity of an agent', {
      id: { type: idOption(), required: true },
      parentId: { type: idOption(), required: true },
      rootId: { type: idOption(), required: true },
      depth: { type: wholeNumberOption, required: true },
      path: { type: nonBlankStringOption, required: true },
      role: { type: nonBlankStringOption, required: true },
    }),
    about: 'Who it is among agents.',
  },
} as const satisfies OptionReaders<ThreadRequest>;

function idOption<Id extends string>(): OptionType<Id> {
  return { ...nonBlankStringOption, read: (given) => nonBlankStringOption.read(given) as Id };
}

const startOptions = {
  ...threadOptions,
  cwd: { ...threadOptions.cwd, required: true },
} as const satisfies OptionReaders<ThreadRequest & { readonly cwd: string }>;

/** Keys of the engine alone, with advice for callers that give them to a thread. */
const ofEngine = {
  keys: Object.keys(engineOptions).filter((key) => !Object.hasOwn(threadOptions, key)),
  next: 'Give it to Engine.load().',
};

/** Keys of threads alone, with advice for callers that give them to the engine. */
export const threadOnlyOptions = {
  keys: Object.keys(threadOptions).filter((key) => !Object.hasOwn(engineOptions, key)),
  next: 'Give it to start(), resume() or fork().',
};

/** Returns a copy of a new thread's options, or why they are refused. */
export const readStartOptions = (request: unknown) =>
  validateOptions<ThreadRequest & { readonly cwd: string }>(request, startOptions, 'start()', ofEngine);

export const readThreadOptions = (request: unknown, of: 'resume()' | 'fork()'): ThreadRequest | OptionProblem =>
  validateOptions<ThreadRequest>(request, threadOptions, of, ofEngine);

export function readThreadCut(cut: unknown): ThreadCut | OptionProblem {
  const read = validateOptions<{ readonly kind: ThreadCut['kind']; readonly turnId?: TurnId }>(
    cut,
    { kind: { type: choiceOption('latest', 'through', 'before'), required: true }, turnId: { type: idOption() } },
    'the place of a fork',
  );
  if ('code' in read) return read;
  const { kind, turnId } = read;
  if (kind === 'latest' && turnId === undefined) return { kind };
  if (kind !== 'latest' && turnId !== undefined) return { kind, turnId };
  const message = `The place of a fork of the kind "${kind}" ${kind === 'latest' ? 'takes no turnId' : 'needs a turnId'}.`;
  return { code: 'option-wrong', message, next: 'Use { kind: "latest" }, or a kind with the turnId that it is about.' };
}
