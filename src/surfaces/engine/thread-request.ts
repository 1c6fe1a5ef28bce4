import type { Overrides } from '../../gather/config/config-layers.ts';
import type { AgentIdentity } from '../../protocol/agent.ts';
import type { ApprovalPolicy, PermissionProfile } from '../../protocol/permission-profile.ts';
import type { ClientTool } from '../../protocol/client-tool.ts';
import type { SpendingLimits } from '../../envelope/settings.ts';
import type { AskUser } from '../../ports/ask-user.ts';
import type { RuleBook } from '../../ports/rule-book.ts';
import type { CheckpointHooks } from '../../thread/parts/parts.ts';
import type { ThreadOptions } from '../../thread/thread-options.ts';
import type { OwnTool } from '../../tools/own-tool.ts';

/** What belongs to one thread, from its opening until it is closed. Threads of one engine may each have something else. */
export interface ThreadRequest extends Omit<ThreadOptions, 'settings'> {
  /**
   * The model is offered no tools but these and `tools`; empty: no others. A name that ends with `*` stands for all that
   * begin so. The thread and its agents keep to it.
   */
  readonly onlyTools?: readonly string[];
  /** Names of tools that the model is not offered, `tools` aside. The thread remembers them. */
  readonly withoutTools?: readonly string[];
  /** Absolute. A resumed thread keeps its own folder when none is given. */
  readonly cwd?: string;
  /** The folder may be gone: the thread is opened to be moved with `overrideTurnContext`. Commands fail until it is. */
  readonly folderMayBeMissing?: true;
  /** Over everything that is configured, and over what a resumed thread had. */
  readonly model?: string;
  /** What its turns and the thread may spend; over the configuration. What is absent is as configured. */
  readonly limits?: SpendingLimits;
  /** The name of a profile of the configuration, in place of the engine's. */
  readonly profile?: string;
  /** Over the configuration and the overrides of the engine, and over what a resumed thread had. */
  readonly overrides?: Overrides;
  /**
   * Keys that the thread takes of the configuration; `overrides` and what the administrator sets hold besides. Such a
   * thread reads no AGENTS.md, and without `projects` among the keys nothing of its folder. Absent: all.
   */
  readonly onlyConfig?: readonly string[];
  /** Holds whatever is configured: for surfaces that cannot ask the user. */
  readonly approval?: ApprovalPolicy;
  /** `approval` is held only because no one can be asked: where a reviewer answers, it is not. */
  readonly unlessReviewed?: boolean;
  /** Holds whatever is configured, unless the managed file decides about the sandbox. */
  readonly permissionProfile?: PermissionProfile;
  /** Nothing of what the thread does is kept on the disk. */
  readonly ephemeral?: boolean;
  /** The thread that it works for, and who it is among agents. Absent: it works for no other. */
  readonly agent?: AgentIdentity;
  /** For whom the thread is started; `user` unless said otherwise. */
  readonly threadSource?: string;
  /** Offered to the model beside the built-in ones. */
  readonly tools?: readonly OwnTool[];
  /** Tools that this program's clients answer by question: see the kind `client-tool`. The thread remembers them. */
  readonly clientTools?: readonly ClientTool[];
  /** It changes nothing, whatever rules allow: only an answer of the user lets a command write. The thread remembers it. */
  readonly changesNothing?: true;
  /** Answers questions about calls. Absent: the user cannot be asked, and what would be asked is refused. */
  readonly askUser?: AskUser;
  /** Saves the rules that answers allow. Absent: none are saved. */
  readonly ruleBook?: RuleBook;
  /** Asked before history is compacted, and notified afterwards. */
  readonly checkpointHooks?: CheckpointHooks;
}
