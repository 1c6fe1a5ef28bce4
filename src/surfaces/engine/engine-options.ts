import type { ClientFacts } from '../../envelope/facts.ts';
import type { ConfigChoices } from '../../gather/config-layers.ts';
import type { WireFormat } from '../../model/wire-format.ts';
import type { ApprovalPolicy, PermissionProfile } from '../../protocol/permission-profile.ts';
import type { ThreadStore } from '../../ports/thread-store.ts';
import type { CheckpointHooks } from '../../thread/parts.ts';
import type { Environment } from '../environment.ts';

/** What the engine is given by whoever starts it. It looks at nothing else of the process. */
export interface EngineOptions extends ConfigChoices {
  readonly env: Environment;
  readonly client: ClientFacts;
  /** Holds whatever anybody configured: for surfaces that can ask nobody. */
  readonly approval?: ApprovalPolicy;
  /** Holds whatever anybody configured, unless the managed file decides about the sandbox. */
  readonly permissionProfile?: PermissionProfile;
  /** Nothing of what threads do is kept on the disk. */
  readonly ephemeral?: boolean;
  /** Where threads are kept. Default: the files of the home, which Codex uses as well. */
  readonly store?: ThreadStore;
  /** Asked before history is folded, and told afterwards. */
  readonly checkpointHooks?: CheckpointHooks;
  /** Wire formats beside the built-in ones: a provider whose `wire_api` has the name of one speaks it. */
  readonly formats?: readonly WireFormat[];
}
