import { join } from 'node:path';
import { resolveConfig } from '../../../core/config/config.ts';
import { configKeySource, sortBySeverity } from '../../../core/config/layer-order.ts';
import type { ConfigLayer, ConfigProblem } from '../../../core/config/layer-order.ts';
import type { TrustDecision } from '../../../core/config/project-trust.ts';
import { formatTomlKey } from '../../../core/config/toml/toml-key.ts';
import { deniesRead } from '../../../core/policy/requirements.ts';
import { loadConfigFile, type LoadedLayer } from './config-file.ts';
import type { BaseLayers, ReadLayers } from './config-layers.ts';
import { fileSystem } from '../../disk/file-system.ts';
import { withTrailingSeparator, projectFolders, projectFolderNames } from '../files/project-folders.ts';
import { findTrust } from './project-trust.ts';
import { decidesTrustOf } from './rules-in-folder.ts';
import { type Json, valueAt } from '../../../protocol/json.ts';

/** Adds the project's layers between the user's files and the flags. `problems`: only those that the project adds. */
export async function configInFolder(base: BaseLayers, folder: string): Promise<ReadLayers> {
  const folders = projectFolders(folder, base.config.projectRootMarkers);
  const decisions = new Map(folders.map((owner) => [owner, findTrust(owner, base.config, base.home)]));
  const decision = decisions.get(folder) ?? findTrust(folder, base.config, base.home);
  const denies = (file: string): boolean => deniesRead(base.requirements, file);
  const files = await Promise.all(
    projectFiles(folders, base).map(async ({ path, owner }) => {
      const decided = decisions.get(owner)!;
      if (decided.trust !== 'trusted') return notRead(path, decided);
      const file = await loadConfigFile({ name: 'project', path, osHome: base.osHome, denies });
      // Landlock cannot protect files that affect later runs, so a project must not widen what commands can do.
      if (base.landlock !== 'never') return { ...file, layer: { ...file.layer, underLandlock: true as const } };
      const isNamed = owner === folders[0] || decidesTrustOf(decided, owner);
      return isNamed ? file : { ...file, layer: { ...file.layer, belowRoot: true as const } };
    }),
  );
  const hookFiles = projectFiles(folders, base, 'hooks.json').flatMap(({ path, owner }) => {
    const trust = decisions.get(owner)!;
    return trust.trust === 'trusted' ? [] : [notRead(path, trust)];
  });
  const changed = [...decisions.values()].filter((each) => each.changed !== undefined);
  const hasProfiles = (base.config.permissions ?? base.config.defaultPermissions) !== undefined;
  if (files.length + hookFiles.length + changed.length === 0 && decision.trust === 'unknown' && !hasProfiles)
    return { config: base.config, layers: base.layers, problems: [] };
  const sources = new Set(files.map(({ layer }) => layer.source));
  const flags = base.layers.findIndex(({ name }) => name === 'flags');
  const layers = base.layers.toSpliced(flags, 0, ...files.map(({ layer }) => layer));
  const { config, problems } = resolveConfig(layers, { ...base.options, trust: decision.trust, cwd: folder });
  const known = new Set(base.problems.map(({ message }) => message));
  const isIgnored = ({ name, disabled }: ConfigLayer): boolean => name === 'project' && disabled !== undefined;
  const ignored = [...layers.filter(isIgnored), ...hookFiles.map(({ layer }) => layer)];
  const added = sortBySeverity([
    ...files.flatMap((file) => file.problems),
    ...problems.filter(({ source, message }) => sources.has(source) || !known.has(message)),
    ...(config.permissions === undefined ? [] : await profileProblems(config.permissions, layers, base, folder)),
    ...(changed.length > 0
      ? [changedNotice(changed, folder)]
      : untrustedNotice(layers, ignored, { root: folders[0] ?? folder, decision, userFile: config.userFile })),
  ]);
  return { config, layers, problems: added };
}

async function profileProblems(permissions: Json, layers: readonly ConfigLayer[], { osHome }: BaseLayers, cwd: string) {
  return (await import('./profile-folder-problems.ts')).profilePathProblems(permissions, layers, { osHome, cwd });
}

const projectFiles = (folders: readonly string[], base: BaseLayers, file = 'config.toml') =>
  folders.flatMap((owner) =>
    projectFolderNames
      .map((name) => ({ path: `${withTrailingSeparator(owner)}${name}/${file}`, owner }))
      .filter(({ path }) => fileSystem.existsSync(path) && !isOfUser(path, base, file)),
  );

/** The user's folder is named like a project's and lies above all projects in the home folder. */
function isOfUser(path: string, { home, osHome }: BaseLayers, name: string): boolean {
  const real = fileSystem.realpathSync(path);
  return [home, ...projectFolderNames.map((name) => join(osHome, name))].some((folder) => {
    const file = join(folder, name);
    return file === path || (fileSystem.existsSync(file) && fileSystem.realpathSync(file) === real);
  });
}

/** Not even parsed: a file written by a stranger must not prevent the start. */
function notRead(path: string, { trust, changed }: TrustDecision): LoadedLayer {
  const distrusted = trust === 'untrusted' ? 'the project is untrusted' : 'you have not trusted the project';
  const disabled = changed === undefined ? distrusted : 'commands under Landlock may change it, or have changed it';
  return { layer: { name: 'project', source: path, values: {}, disabled }, problems: [] };
}

/** Also covers rules, skills and agents of the project, which are left out without a notice of their own. */
function changedNotice(decisions: readonly TrustDecision[], folder: string): ConfigProblem {
  const [{ changed = '', writer, isIncomparable }, ...others] = decisions as [TrustDecision, ...TrustDecision[]];
  const notice = (why: string, next: string): ConfigProblem => {
    const message = `${why} Capstan ignores what the project configures.`;
    return { code: 'config-untrusted-project', message, next, severity: 'warning', source: changed };
  };
  if (writer !== undefined) {
    const { pid, file } = writer;
    const who = file === undefined ? `process ${pid}` : `process ${pid} of another container`;
    const ended = file === undefined ? '' : ` If it has ended, remove ${file}.`;
    const why = `${changed} may change at any moment: ${who} runs under Landlock and may write there.`;
    return notice(why, `End it, then start again.${ended}`);
  }
  if (isIncomparable === true) {
    const why = `${changed} cannot be compared with what you trusted: commands that ran under Landlock could change it, and it is too large, cannot be read, or has a link to a folder around it.`;
    return notice(why, 'Keep at most 2,000 files and 20 MB there, then run `capstan` again.');
  }
  return notice(
    `${filesWords(changed, others.length)} not as you trusted it: commands that ran under Landlock could change it.`,
    `Check .codex, .capstan, .agents and .git there, then run \`capstan\` in ${folder} and answer its question.`,
  );
}

const filesWords = (first: string, others: number): string =>
  others === 0 ? `${first} is` : `${first} and ${others} more are`;

/** `ignored`: files that are not read. */
function untrustedNotice(
  layers: readonly ConfigLayer[],
  [first, ...others]: readonly ConfigLayer[],
  { root, decision, userFile }: { readonly root: string; readonly decision: TrustDecision; readonly userFile?: string },
): readonly ConfigProblem[] {
  if (first === undefined) return [];
  const folder = decision.trust === 'untrusted' ? (decision.folder ?? root) : root;
  const key = ['projects', folder, 'trust_level'];
  const decider = layers.findLast(({ values }) => valueAt(values, key) !== undefined);
  const where = decider === undefined ? (userFile ?? 'config.toml') : configKeySource(decider, key);
  const how = `set trust_level = "trusted" under [${formatTomlKey(key.slice(0, 2))}] in ${where}`;
  const isFlag = decider?.name === 'flags';
  const next = `To use it, ${isFlag ? 'leave out the flag that makes the project untrusted' : how}.`;
  const message = `${filesWords(first.source, others.length)} ignored: ${first.disabled}.`;
  return [{ code: 'config-untrusted-project', message, next, severity: 'warning', source: first.source }];
}
