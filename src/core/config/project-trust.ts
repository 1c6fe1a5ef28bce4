import { isJsonObject, type JsonObject, valueAt } from '../../protocol/json.ts';
import { type ConfigLayer, type ConfigProblem, configKeyProblem } from './layer-order.ts';

/** The user's decision about a project. `unknown` means none was made, which differs from both. */
export type ProjectTrust = 'trusted' | 'untrusted' | 'unknown';
export type ProjectDecisions = Readonly<Record<string, { readonly trustLevel?: Exclude<ProjectTrust, 'unknown'> }>>;

export interface LandlockWriter {
  readonly pid: number;
  /** Registration of an engine in another container, whose processes are not visible from here. */
  readonly file?: string;
}

export interface TrustDecision {
  readonly trust: ProjectTrust;
  readonly folder?: string;
  /** The linked worktree through which the folder inherits its main checkout's trust. */
  readonly link?: string;
  /** Commands under Landlock may have changed this part of the project: trust is unknown until the user agrees. */
  readonly changed?: string;
  /** The part cannot be compared with what the user agreed to, so agreeing again does not help. */
  readonly isIncomparable?: true;
  /** The part is unchanged, but this process may change it at any moment: trust is unknown until it ends. */
  readonly writer?: LandlockWriter;
}

/** The first folder with a decision decides. */
export function decideTrust(decisions: ProjectDecisions, folders: readonly string[]): TrustDecision {
  const byFolder = new Map(
    Object.entries(decisions).map(([folder, decision]) => [plain(folder), { folder, decision }]),
  );
  for (const candidate of folders) {
    const found = byFolder.get(plain(candidate));
    if (found?.decision.trustLevel !== undefined) return { trust: found.decision.trustLevel, folder: found.folder };
  }
  return { trust: 'unknown' };
}

function plain(folder: string): string {
  let end = folder.length;
  while (end > 1 && folder[end - 1] === '/') end--;
  return folder.slice(0, end);
}

const paths = (dottedKeys: string): readonly (readonly string[])[] =>
  dottedKeys.match(/\S+/g)?.map((key) => key.split('.')) ?? [];

/** Keys that no project may set: on where data goes, costs, unsandboxed programs, trust, and less protection. */
export const forbiddenKeys = paths(`
  openai_base_url chatgpt_base_url cli_auth_credentials_store forced_login_method forced_chatgpt_workspace_id apps_mcp_product_sku responses_api_metadata model_provider model_providers
  model_prices model_fallback max_turn_tokens max_thread_tokens max_turn_cost max_thread_cost
  oss_provider sandbox sandbox_fallback blobs history answer compaction.max_bytes compaction.timeout_ms notify profile profiles projects
  project_root_markers skills.config experimental_realtime_webrtc_call_base_url experimental_realtime_ws_base_url otel
  features.respect_system_proxy features.hooks features.codex_hooks features.use_legacy_landlock
  tui.keymap.chat.previous_permission_mode tui.keymap.chat.next_permission_mode
`);

/**
 * Keys about permissions, starting programs or agents, or the network. Below a project's root, and anywhere in it under
 * Landlock, a command may have written them, so they are ignored there.
 */
export const rootOnlyKeys = paths(`
  sandbox_mode sandbox_workspace_write approval_policy approvals_reviewer auto_review default_permissions permissions
  shell_environment_policy allow_login_shell undo mcp_servers web_search
  agents features.multi_agent features.collab
`);

export function withoutForbiddenKeys(layer: ConfigLayer) {
  const present = (keys: typeof forbiddenKeys) => keys.filter((path) => valueAt(layer.values, path) !== undefined);
  const everywhere = present(forbiddenKeys);
  const { belowRoot, underLandlock } = layer;
  const here = belowRoot === true || underLandlock === true ? present(rootOnlyKeys) : [];
  const report = (keys: typeof forbiddenKeys, what: string, next: string): readonly ConfigProblem[] =>
    keys.map((path) =>
      configKeyProblem(layer, path, { code: 'config-forbidden-key', severity: 'warning', what, next }),
    );
  const instead = 'Set it in your own config.toml instead.';
  const elsewhere = "Set it in your own config.toml or at the project's root, or trust this folder itself.";
  const where = underLandlock ? 'in a project if commands may run under Landlock' : 'below the root of a project';
  const what = `has no effect ${where}, because a command could have written it`;
  const problems = [
    ...report(everywhere, 'cannot be set by a project', instead),
    ...report(here, what, underLandlock ? instead : elsewhere),
  ];
  return { layer: { ...layer, values: [...everywhere, ...here].reduce(without, layer.values) }, problems };
}

function without(values: JsonObject, [head = '', ...rest]: readonly string[]): JsonObject {
  const { [head]: value, ...others } = values;
  return rest.length > 0 && isJsonObject(value) ? { ...others, [head]: without(value, rest) } : others;
}
