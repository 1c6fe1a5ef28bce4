import { nodeProgramFiles, sweepFolders } from '../../engine/file-access.ts';
import { findProgram } from '../../core/policy/environment/find-program.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { quoteShellCommand, type EnvironmentVariables } from '../../protocol/shell.ts';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

export interface DemoFolders {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  /** The uppermost folder above the root that the demo created; undefined if all existed. */
  readonly made?: string | undefined;
}

/** The demo has its own home, so it does not touch the user's. The agent works in the project. */
export function makeDemoFolders(env: EnvironmentVariables, osHome = homedir()): DemoFolders {
  const { root, made } = makeRoot(osHome);
  const place = { root, made, home: join(root, 'home'), project: join(root, 'project') };
  mkdirSync(place.home, { mode: 0o700 });
  mkdirSync(place.project);
  for (const [name, text] of Object.entries(projectFiles(process.execPath)))
    writeFileSync(join(place.project, name), text);
  if (!initialise(place, env)) {
    // Without git, create as much of a repository as the engine requires.
    mkdirSync(join(place.project, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(place.project, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  }
  return place;
}

/** Time for a killed process to write its last line. */
const lastWriteMs = 5000;

/** Removes everything that the demo made. Returns the folder that stays, if it could not be removed. */
export async function removeDemoFolders(folders: DemoFolders, patienceMs = lastWriteMs): Promise<string | undefined> {
  const { root, made } = folders;
  const deadline = Date.now() + patienceMs;
  // Not `maxRetries`: some versions of Node retry at once.
  while (!(await isRemoved(root))) {
    if (Date.now() >= deadline) return root;
    await setTimeout(100);
  }
  if (made === undefined) return undefined;
  try {
    for (let folder = dirname(root); isWithin(folder, made); folder = dirname(folder)) rmdirSync(folder);
  } catch {
    // Another program has put something there in the meantime.
  }
  return undefined;
}

async function isRemoved(folder: string): Promise<boolean> {
  try {
    // Not `rmSync`: it stops silently when a dying process removes a file of its own at the same time.
    await rm(folder, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

/** In the user's caches, where no command of another thread can change the configuration, else a temporary folder. */
function makeRoot(osHome: string): Pick<DemoFolders, 'root' | 'made'> {
  const prefix = 'demo-';
  try {
    const caches = join(osHome, '.cache', 'capstan');
    const made = mkdirSync(caches, { recursive: true, mode: 0o700 });
    const parent = realpathSync(caches);
    // Do not sweep shared temporary folders: a folder swapped for a link during removal would lead elsewhere.
    if (![realpathSync(tmpdir()), '/tmp'].some((folder) => isWithin(parent, folder))) sweepFolders(parent, prefix);
    const root = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
    return { root, made: made === undefined ? undefined : realpathSync(made) };
  } catch {
    return { root: realpathSync(mkdtempSync(join(tmpdir(), 'capstan-demo-'))) };
  }
}

function initialise({ home, project }: DemoFolders, { PATH = '' }: EnvironmentVariables): boolean {
  const git = findProgram({ name: 'git', prefer: 'system', path: '', writable: [] }, nodeProgramFiles);
  // Not the user's variables: some of them, such as GIT_TEMPLATE_DIR, change what git does.
  const options = { cwd: project, env: { PATH, HOME: home }, stdio: 'ignore' } as const;
  return git !== undefined && spawnSync(git, ['init', '--quiet'], options).status === 0;
}

/**
 * The commands are Capstan's own, so Landlock will do where nothing better is available. Temporary folders are not
 * writable: the demo may lie in one, and only the project should change. No login shell is asked for variables: the
 * demo needs none, and nothing of it should outlive it.
 */
export function writeConfig({ home }: DemoFolders, modelUrl: string): void {
  const text = `model = "scripted"
model_provider = "demo"
model_context_window = 272000
allow_login_shell = false
sandbox_mode = "workspace-write"
sandbox_fallback = "landlock"
tools.edit = "patch"

[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true

[model_providers.demo]
name = "the demo"
base_url = ${JSON.stringify(modelUrl)}
`;
  writeFileSync(join(home, 'config.toml'), text);
}

/** The user's environment without the variables that would redirect the engine or git. */
export function demoEnvironment({ home }: DemoFolders, env: EnvironmentVariables): EnvironmentVariables {
  const kept = Object.entries(env).filter(([name]) => name === 'CAPSTAN_BWRAP' || !/^(CAPSTAN|CODEX|GIT)_/.test(name));
  // A bubblewrap that `npm start` unpacked counts as installed: a demo is no place for advice about packages.
  const unpacked = join(dirname(process.argv[1] ?? ''), '../.local/bubblewrap/usr/bin');
  return { ...Object.fromEntries(kept), PATH: `${env['PATH'] ?? ''}${delimiter}${unpacked}`, CAPSTAN_HOME: home };
}

/** The text of a project file; empty if it does not exist. */
export function readProjectFile({ project }: DemoFolders, name: string): string {
  const path = join(project, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** The steps of a release, in order. None of them may be done twice. */
export const releaseSteps: readonly string[] = ['tag', 'upload', 'announce'];
export const releaseLog = 'release.log';
const buggyLine = 'export const largest = (numbers) => numbers.toSorted().at(-1);';
const fixedLine = 'export const largest = (numbers) => Math.max(...numbers);';

export const fixPatch = `*** Begin Patch
*** Update File: largest.mjs
@@
-${buggyLine}
+${fixedLine}
*** End Patch
`;

/**
 * The demo project, by file name: a function with a bug, a check that finds it, and a slow release. The check names its
 * Node by path: inside the sandbox the search path is the login shell's.
 */
const projectFiles = (node: string): Readonly<Record<string, string>> => ({
  'AGENTS.md':
    'Run `sh check` after every change.\nA release is `sh release tag upload announce`; never do a step twice.\n',
  'largest.mjs': `${buggyLine}\n`,
  'largest.test.mjs': `import { largest } from './largest.mjs';

const found = largest([9, 10]);
console.log(\`largest([9, 10]) is \${found}: \${found === 10 ? 'pass' : 'FAIL, should be 10'}\`);
process.exitCode = found === 10 ? 0 : 1;
`,
  check: `exec ${quoteShellCommand([node])} largest.test.mjs\n`,
  release: `for step in "$@"; do
  echo "$step 1.0.1" | tee -a ${releaseLog}
  if [ "$step" = tag ]; then
    # Mirrors get time to see the tag. A dot now and then also ends this script when no reader is left.
    left=50
    while [ $left -gt 0 ]; do
      sleep 0.1
      printf .
      left=$((left - 1))
    done
  fi
done
`,
});
