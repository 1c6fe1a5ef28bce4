import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import type { ConfigLayer } from './config-layer.ts';
import type { ConfigProblem } from './config-problem.ts';
import { keyProblem } from './key-problem.ts';

/**
 * What a file of a project may not say, even when the project is trusted: where requests and telemetry go, what starts
 * outside the sandbox, and what decides about trust itself.
 */
const forbidden: readonly (readonly string[])[] = [
  ['openai_base_url'],
  ['chatgpt_base_url'],
  ['apps_mcp_product_sku'],
  ['responses_api_metadata'],
  ['model_provider'],
  ['model_providers'],
  ['oss_provider'],
  ['blobs'],
  ['answer'],
  ['compaction', 'max_bytes'],
  ['compaction', 'timeout_ms'],
  ['notify'],
  ['profile'],
  ['profiles'],
  ['projects'],
  ['project_root_markers'],
  ['experimental_realtime_webrtc_call_base_url'],
  ['experimental_realtime_ws_base_url'],
  ['otel'],
  ['features', 'respect_system_proxy'],
  ['tui', 'keymap', 'chat', 'previous_permission_mode'],
  ['tui', 'keymap', 'chat', 'next_permission_mode'],
];

/**
 * What decides about permissions. At the root of a project it is protected from commands; further down a command may have
 * written the file, so it does not count there.
 */
const forbiddenBelowRoot: readonly (readonly string[])[] = [
  ['sandbox_mode'],
  ['sandbox_workspace_write'],
  ['approval_policy'],
  ['approvals_reviewer'],
  ['default_permissions'],
  ['permissions'],
  ['shell_environment_policy'],
  ['allow_login_shell'],
  ['undo'],
];

/** The layer of a project without such keys, and a warning for each. */
export function withoutForbiddenKeys(layer: ConfigLayer): {
  readonly layer: ConfigLayer;
  readonly problems: readonly ConfigProblem[];
} {
  const everywhere = forbidden.filter((path) => has(layer.values, path));
  const here = layer.belowRoot === true ? forbiddenBelowRoot.filter((path) => has(layer.values, path)) : [];
  const code = 'config-forbidden-key';
  const problems = [
    ...everywhere.map((path) =>
      keyProblem(layer, path, {
        code,
        severity: 'warning',
        what: 'cannot be set by a project',
        next: 'Set it in your own config.toml instead.',
      }),
    ),
    ...here.map((path) =>
      keyProblem(layer, path, {
        code,
        severity: 'warning',
        what: 'has no effect below the root of a project, where a command could have written it',
        next: "Set it in your own config.toml or at the project's root, or trust this folder by its own name.",
      }),
    ),
  ];
  return { layer: { ...layer, values: [...everywhere, ...here].reduce(without, layer.values) }, problems };
}

function has(values: JsonObject, [head = '', ...rest]: readonly string[]): boolean {
  const value = Object.hasOwn(values, head) ? values[head] : undefined;
  if (rest.length === 0) return value !== undefined;
  return isJsonObject(value) && has(value, rest);
}

function without(values: JsonObject, [head = '', ...rest]: readonly string[]): JsonObject {
  const { [head]: value, ...others } = values;
  return rest.length > 0 && isJsonObject(value) ? { ...others, [head]: without(value, rest) } : others;
}
