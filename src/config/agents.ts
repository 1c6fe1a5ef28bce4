import { isGateOpen } from './feature-gates.ts';
import { defined } from '../protocol/defined.ts';
import { isJsonObject, type Json } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';

/** What is configured about agents, under `agents`. */
export interface AgentsConfig {
  /** Absent: as the feature says. */
  readonly enabled?: boolean;
  /** How many may work at the same time. */
  readonly running: number;
  readonly depth: number;
  /** Absent: no limit. */
  readonly tokens?: number;
  readonly defaultModel?: string;
  readonly defaultEffort?: string;
}

export interface AgentsReading {
  readonly agents: AgentsConfig;
  readonly problems: readonly Outcome<'agents-config'>[];
}

const usual = { running: 6, depth: 1 } as const;

/** The table as it was merged from all layers. What is at fault is left out and reported. */
export function readAgentsConfig(given: Json | undefined): AgentsReading {
  const table = isJsonObject(given) ? given : undefined;
  const problems: Outcome<'agents-config'>[] = [];
  const read = <Value>(key: string, is: (value: Json) => value is Json & Value, expected: string) => {
    const value = table?.[key];
    if (value === undefined) return undefined;
    if (is(value)) return value as Value;
    problems.push({
      code: 'agents-config',
      message: `agents.${key} must be ${expected}.`,
      next: 'Correct it in config.toml.',
    });
    return undefined;
  };
  const count = (value: Json): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 1;
  const limit = (value: Json): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 0;
  const flag = (value: Json): value is boolean => typeof value === 'boolean';
  const name = (value: Json): value is string => typeof value === 'string' && value.trim() !== '';
  const whole = 'a whole number of at least 1';
  const running =
    read<number>('max_concurrent_threads_per_session', count, whole) ?? read<number>('max_threads', count, whole);
  return {
    agents: {
      running: running ?? usual.running,
      depth: read<number>('max_depth', limit, 'a whole number') ?? usual.depth,
      ...defined({
        enabled: read<boolean>('enabled', flag, 'true or false'),
        tokens: read<number>('max_tokens', count, whole),
        defaultModel: read<string>('default_subagent_model', name, 'a name'),
        defaultEffort: read<string>('default_subagent_reasoning_effort', name, 'a name'),
      }),
    },
    problems,
  };
}

/** Whether threads may start agents: where the configuration says so, and nothing forbids it. */
export function startsAgents(table: Json | undefined, features: Readonly<Record<string, boolean>> = {}): boolean {
  const enabled = isJsonObject(table) ? table['enabled'] : undefined;
  if (enabled === false || features['multi_agent'] === false) return false;
  return enabled === true || isGateOpen('multi_agent', features);
}
