import type { EngineOptions } from '../../../engine/engine-options.ts';
import { type EngineRefused, engineRefused } from '../../../engine/engine-refused.ts';
import { Engine } from '../../../engine/engine.ts';
import { version } from '../../../protocol/version.ts';
import type { ExecArguments } from './exec-command.ts';
import { homedir } from 'node:os';

type ExecOptions = ExecArguments['options'];
type Always = 'profile' | 'strictConfig' | 'ignoreUserConfig' | 'ignoreRules' | 'override' | 'enable' | 'disable';
type Models = 'model' | 'oss' | 'localProvider';
type Permissions = 'addDirectory' | 'sandbox' | 'sandboxFallback' | 'askForApproval' | 'approveForMe';
type Limits = Permissions | 'maxCost' | 'maxTokens';
export type EngineChoices = Pick<ExecOptions, Always | Models> & Partial<Pick<ExecOptions, Limits>>;

export async function loadEngine(
  given: EngineChoices,
  cwd: string,
  source: 'exec' | 'cli' = 'exec',
): Promise<Engine | EngineRefused> {
  const options = engineOptions(given, cwd, source);
  if (!given.oss) return Engine.load(options);
  // Loaded on use: few runs need it.
  const { localOverrides } = await import('../../../engine/models/local-servers.ts');
  const local = await localOverrides(options, given.localProvider);
  if ('code' in local) return engineRefused(local);
  return Engine.load({ ...options, config: [...overridesOf(given), ...local] });
}

function engineOptions(given: EngineChoices, cwd: string, source: 'exec' | 'cli'): EngineOptions {
  const { profile, strictConfig, ignoreUserConfig, ignoreRules, addDirectory = [], sandboxFallback } = given;
  const name = process.env['CODEX_INTERNAL_ORIGINATOR_OVERRIDE'] ?? `capstan_${source}`;
  const place = { env: process.env, osHome: homedir(), cwd, client: { name, version, source } };
  const how = { profile, sandboxFallback, strictConfig, ignoreUserConfig, ignoreRules };
  return { ...place, config: overridesOf(given), ...how, addDirectories: addDirectory };
}

/** Options are shorthand for configuration keys; `-c` comes first, so that the plain option wins. */
function overridesOf(given: EngineChoices) {
  const { override, enable, disable, maxCost, maxTokens } = given;
  const [on, off] = [enable.map((name) => `features.${name}=true`), disable.map((name) => `features.${name}=false`)];
  const values = {
    model: given.model,
    approval_policy: given.askForApproval,
    sandbox_mode: given.sandbox,
    max_turn_cost: maxCost && amountOf(maxCost),
    max_turn_tokens: maxTokens && amountOf(maxTokens),
  };
  const plain = [...Object.entries(values), ...Object.entries(given.approveForMe === true ? reviewedWork : {})];
  return [
    ...commandLineOverrides([...override, ...on, ...off]),
    ...plain.flatMap(([key, value]) => (value === undefined ? [] : [{ path: [key], value }])),
  ];
}

/** Leaves a value that is no number as text: the configuration refuses it together with other faults. */
const amountOf = (text: string): number | string =>
  text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);

/** Makes Capstan ask questions, and a reviewer answer them. Permissions of commands stay as configured. */
const reviewedWork = { approvals_reviewer: 'auto_review', approval_policy: 'on-request' };

/** For `-c` of commands: an unknown key is only a warning, because it may belong to another program. */
export const commandLineOverrides = (given: readonly string[]) =>
  given.map((written) => ({ written, foreign: true as const }));
