import { closableFeatures } from './agent-role.ts';
import { featureNames } from './feature-names.ts';
import type { KeyTable, TableKind } from './key-kind.ts';

const [text, name] = [
  { type: 'string', blank: 'allowed' },
  { type: 'string', blank: 'refused' },
] as const;
const least = (min: number) => ({ type: 'integer', min }) as const;

/** What a role may say, in `[agents.NAME]` and in a file of its own. */
export const roleTable: TableKind<KeyTable> = {
  type: 'table',
  keys: {
    name,
    description: text,
    config_file: name,
    developer_instructions: text,
    model: name,
    model_reasoning_effort: name,
    model_reasoning_summary: name,
    model_verbosity: name,
    personality: name,
    service_tier: name,
    sandbox_mode: { type: 'choice', choices: ['read-only', 'workspace-write', 'danger-full-access'], aliases: {} },
    features: { type: 'toggles', names: featureNames, tables: 'allowed', closable: closableFeatures },
  },
  unused: ['nickname_candidates', 'skills', 'mcp_servers'],
  unknown: 'warning',
};

/** `[agents]`: settings, and beside them tables of roles. */
export const agentsTable: TableKind<KeyTable> = {
  type: 'table',
  keys: {
    enabled: { type: 'boolean' },
    max_threads: least(1),
    max_concurrent_threads_per_session: least(1),
    max_depth: least(0),
    max_tokens: least(1),
    default_subagent_model: name,
    default_subagent_reasoning_effort: name,
  },
  unused: ['interrupt_message', 'job_max_runtime_seconds'],
  unknown: 'warning',
  others: roleTable,
};
