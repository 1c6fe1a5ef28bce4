import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeProgramFiles } from '../../disk/node-program-files.ts';
import { sweepFolders } from '../../disk/processes.ts';
import { findProgram } from '../../policy/find-program.ts';
import { isWithin } from '../../policy/paths.ts';
import type { Variables } from '../../protocol/variables.ts';
import { projectFiles } from './project.ts';

export type DemoFolders = Readonly<Record<'root' | 'home' | 'project', string>>;

/**
 * The folders of one demo. They stay until the next one, so that a reader can look into them. The home is one of its own:
 * the person's configuration and threads are not touched. The agent works in the project.
 */
export function makePlace(env: Variables, osHome = homedir()): DemoFolders {
  const root = makeRoot(osHome);
  const place = { root, home: join(root, 'home'), project: join(root, 'project') };
  mkdirSync(place.home, { mode: 0o700 });
  mkdirSync(place.project);
  for (const [name, text] of Object.entries(projectFiles(process.execPath))) {
    writeFileSync(join(place.project, name), text);
  }
  if (!initialise(place, env)) {
    // Without git, as much of a repository as the engine asks for.
    mkdirSync(join(place.project, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(place.project, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  }
  return place;
}

/**
 * Among the user's caches, where no command of another thread can change the demo's configuration; in the temporary
 * folder if that cannot be. The folders of earlier demos are removed when the next one begins.
 */
function makeRoot(osHome: string): string {
  const prefix = 'demo-';
  try {
    const caches = join(osHome, '.cache', 'capstan');
    mkdirSync(caches, { recursive: true, mode: 0o700 });
    const parent = realpathSync(caches);
    // What is swapped for a link while it is being removed would lead elsewhere.
    if (![realpathSync(tmpdir()), '/tmp'].some((folder) => isWithin(parent, folder))) sweepFolders(parent, prefix);
    return mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  } catch {
    return realpathSync(mkdtempSync(join(tmpdir(), 'capstan-demo-')));
  }
}

function initialise({ home, project }: DemoFolders, { PATH = '' }: Variables): boolean {
  const git = findProgram({ name: 'git', prefer: 'system', path: '', writable: [] }, nodeProgramFiles);
  // Not the user's variables: some of them, such as GIT_TEMPLATE_DIR, would have git do something else.
  const options = { cwd: project, env: { PATH, HOME: home }, stdio: 'ignore' } as const;
  return git !== undefined && spawnSync(git, ['init', '--quiet'], options).status === 0;
}

/**
 * Temporary folders are not writable here: the place itself may lie in one, and nothing but the project should change. No
 * login shell is asked: the demo needs none of its variables, and nothing of the demo should outlive it.
 */
export function writeConfig({ home }: DemoFolders, modelUrl: string): void {
  const text = `model = "scripted"
model_provider = "demo"
allow_login_shell = false
sandbox_mode = "workspace-write"

[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true

[model_providers.demo]
name = "the demo"
base_url = ${JSON.stringify(modelUrl)}
`;
  writeFileSync(join(home, 'config.toml'), text);
}

/** The person's environment, but for what would lead the engine, or git, elsewhere. */
export function placeEnvironment({ home }: DemoFolders, env: Variables): Variables {
  const kept = Object.entries(env).filter(([name]) => name === 'CAPSTAN_BWRAP' || !/^(CAPSTAN|CODEX|GIT)_/.test(name));
  return { ...Object.fromEntries(kept), CAPSTAN_HOME: home };
}

/** The folder's long name left out: the introduction says what the mark stands for. */
export function shortened({ root }: DemoFolders, text: string): string {
  return text.replaceAll(root, '…');
}

/** The text of a file of the project; empty when there is none. */
export function projectText({ project }: DemoFolders, name: string): string {
  const path = join(project, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Gives the rollout a short name beside its long one. */
export function linkRollout({ root }: DemoFolders, rollout: string): string {
  const link = join(root, 'rollout.jsonl');
  symlinkSync(rollout, link);
  return link;
}
