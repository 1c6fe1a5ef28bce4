import type { ConfigProblem } from '../../../core/config/layer-order.ts';
import type { TrustDecision } from '../../../core/config/project-trust.ts';
import type { Settings } from '../../../core/envelope/settings.ts';
import { projectFolderNames, projectFolders, withTrailingSeparator } from '../files/project-folders.ts';
import { type BaseLayers, type ConfigChoices, isUserFolder, mayExist, usualSystemFolders } from './config-layers.ts';
import { findTrust } from './project-trust.ts';

type RuleChoices = Pick<ConfigChoices, 'systemFolders' | 'ignoreRules' | 'ignoreUserConfig'>;

/** Loads the reading code only if there are rules: most users have none. */
export async function rulesInFolder(base: BaseLayers, folder: string, choices: RuleChoices): Promise<RulesInForce> {
  const folders = rulesFolders(base, folder, choices);
  const { rules, allowIgnoredOn } = base.requirements;
  if (folders.length === 0 && rules === undefined && allowIgnoredOn === undefined) return { problems: [] };
  const { loadRules } = await import('./load-rules.ts');
  return loadRules(folders, base.requirements);
}

/** Each configuration layer that counts may have a folder of rules. Returns these folders, lowest first. */
function rulesFolders(base: BaseLayers, folder: string, choices: RuleChoices): readonly RulesFolder[] {
  const { systemFolders = usualSystemFolders, ignoreRules, ignoreUserConfig } = choices;
  const own = (layer: string): RulesFolder => ({ path: `${withTrailingSeparator(layer)}rules`, may: 'allow' });
  const ofMachine = systemFolders.map(own).filter(mayExist).slice(0, 1);
  if (ignoreRules === true) return ofMachine;
  const ofUser = ignoreUserConfig === true ? [] : [own(base.home)].filter(mayExist);
  const ofProject = trustedProjectPaths(base, folder, 'rules').map(({ path, isNamed }): RulesFolder => ({
    path,
    may: isNamed && base.landlock === 'never' ? 'allow' : 'hold-back',
  }));
  return [...ofMachine, ...ofUser, ...ofProject];
}

/** Existing files or folders of this name in a trusted project. Gives no notice about untrusted projects. */
export function trustedProjectPaths(base: BaseLayers, folder: string, name: string) {
  const folders = projectFolders(folder, base.config.projectRootMarkers);
  const found = folders.flatMap((owner) =>
    projectFolderNames
      .map((layer) => ({ layer: withTrailingSeparator(owner) + layer, owner }))
      .filter(({ layer }) => mayExist({ path: `${layer}/${name}` }) && !isUserFolder(layer, base)),
  );
  return found.flatMap(({ layer, owner }) => {
    const decision = findTrust(owner, base.config, base.home);
    // Lies in the project's root, or in a folder that the user trusts by its own name.
    const isNamed = owner === folders[0] || decidesTrustOf(decision, owner);
    return decision.trust === 'trusted' ? [{ path: `${layer}/${name}`, isNamed }] : [];
  });
}

export function decidesTrustOf({ folder }: TrustDecision, owner: string): boolean {
  return folder !== undefined && withTrailingSeparator(folder) === withTrailingSeparator(owner);
}

/** The rules that hold in a folder, and what the model reads of them. Empty values are absent. */
export interface RulesInForce extends Pick<Settings, 'rules' | 'approvedPrefixes' | 'networkRules'> {
  readonly problems: readonly ConfigProblem[];
}

export interface RulesFolder {
  readonly path: string;
  /** `hold-back`: commands may have written it, so its rules may allow nothing. */
  readonly may: 'allow' | 'hold-back';
}
