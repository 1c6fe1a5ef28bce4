import type { ConfigProblem } from '../../config/config-problem.ts';
import { featureGates } from '../../config/feature-gates.ts';
import type { Config } from '../../config/config.ts';
import { configuredProfile } from '../../gather/settings/choose-profile.ts';
import type { BaseLayers } from '../../gather/config/config-layers.ts';
import { brokenByApproval, brokenByProfile, modeInstead } from '../../policy/requirements.ts';

/** Values that the layers give and the machine does not allow: what is shown of them does not hold. */
export function overruled(
  config: Config,
  { requirements, requirementsFile = 'requirements.toml' }: Pick<BaseLayers, 'requirements' | 'requirementsFile'>,
): readonly ConfigProblem[] {
  const { approvalPolicy, sandboxMode, allowLoginShell, features: configured } = config;
  const loginShell = requirements.allowLoginShell ?? allowLoginShell;
  const approval = brokenByApproval(requirements, approvalPolicy);
  const sandbox = brokenByProfile(requirements, configuredProfile(config, sandboxMode));
  const { pins = {}, source = '' } = requirements.features ?? {};
  const gates = featureGates(configured ?? {});
  const pinned = Object.keys(pins).filter((name) => gates[name] !== undefined && gates[name] !== pins[name]);
  return [
    ...(approval === undefined
      ? []
      : [problem('approval_policy', `"${approvalPolicy}"`, approval, `"${approval.allowed[0]}"`)]),
    ...(sandbox === undefined
      ? []
      : [problem('sandbox_mode', `"${sandboxMode}"`, sandbox, `"${modeInstead(sandbox)}"`)]),
    ...(loginShell === allowLoginShell
      ? []
      : [
          problem(
            'allow_login_shell',
            String(allowLoginShell),
            { key: 'allow_login_shell', source: requirementsFile },
            String(loginShell),
          ),
        ]),
    ...pinned.map((name) => {
      const key = `features.${name}`;
      return problem(key, String(gates[name]), { key, source }, String(pins[name]));
    }),
  ];
}

function problem(
  key: string,
  value: string,
  rule: { readonly key: string; readonly source: string },
  instead: string,
): ConfigProblem {
  return {
    code: 'config-overridden-key',
    message: `${key} = ${value} is not allowed by ${rule.key} in ${rule.source}: ${instead} holds instead.`,
    next: 'Ask the administrator of this machine.',
    severity: 'warning',
    source: rule.source,
    key,
  };
}
