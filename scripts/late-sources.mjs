// Which sources of `exec` no first request of a new thread needs: found by running two, and kept in .local/.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { reachableSources } from './exec-sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const preload = new URL('note-used-sources.mjs', import.meta.url).href;

const kept = join(root, '.local', 'late-sources.json');

/**
 * As paths below the root. They are found anew when sources come, go or move: one that changed inside may be loaded too
 * early until then, and does the same. None where the program cannot be run: then it starts more slowly.
 */
export async function lateSources() {
  const paths = reachableSources().map((path) => relative(root, path));
  const key = createHash('sha256').update(paths.toSorted().join('\n')).digest('hex');
  const known = readKept();
  if (known?.key === key) return known.paths;
  const first = await sourcesUsedFirst().catch((error) => console.error(`${error.message} Starts will be slower.`));
  const late = first === undefined ? [] : paths.filter((path) => !first.has(path));
  mkdirSync(join(root, '.local'), { recursive: true });
  writeFileSync(`${kept}.${process.pid}`, JSON.stringify({ key, paths: late }));
  renameSync(`${kept}.${process.pid}`, kept);
  return late;
}

function readKept() {
  try {
    return JSON.parse(readFileSync(kept, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The sources that ran a function before the first request, as paths below the root: for a screen and for a program. */
export async function sourcesUsedFirst() {
  const { answer, say, startScriptedModel } = await import('../src/testing/index.ts');
  const folder = mkdtempSync(join(tmpdir(), 'capstan-first-'));
  const model = await startScriptedModel(() => answer({ items: [say('Done.')] }));
  try {
    makeUser(folder, model.url);
    const runs = [
      ['exec', 'hello'],
      ['exec', '--json', 'hello'],
    ].map((words) => used(folder, words));
    return new Set((await Promise.all(runs)).flat());
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A home with a configuration and instructions, and a workspace with the same. The home had threads before: in one that
 * had none, the lock is taken at once.
 */
function makeUser(folder, url) {
  const [home, workspace] = [join(folder, 'home'), join(folder, 'workspace')];
  for (const name of ['objects', 'refs']) mkdirSync(join(workspace, '.git', name), { recursive: true });
  const locks = join(home, 'thread-writer-locks');
  mkdirSync(locks, { recursive: true });
  writeFileSync(join(locks, '.capstan-locks-work'), '');
  writeFileSync(join(workspace, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(workspace, '.git', 'config'), '[core]\n\tbare = false\n');
  for (const place of [home, workspace]) writeFileSync(join(place, 'AGENTS.md'), 'Be brief.\n');
  const provider = `[model_providers.scripted]\nname = "scripted"\nbase_url = "${url}"\nwire_api = "responses"\n`;
  const trust = `[projects."${workspace}"]\ntrust_level = "trusted"\n`;
  // A window of one's own brings a notice with numbers.
  const settings = 'model = "gpt-5.5"\nmodel_provider = "scripted"\nmodel_context_window = 100000000\n';
  writeFileSync(join(home, 'config.toml'), settings + provider + trust);
}

async function used(folder, words) {
  const noted = join(folder, `noted-${words.length}`);
  const { promise, resolve } = Promise.withResolvers();
  const program = spawn(process.execPath, ['--import', preload, join(root, 'src/bin.ts'), ...words], {
    cwd: join(folder, 'workspace'),
    env: { PATH: process.env.PATH, HOME: folder, CODEX_HOME: join(folder, 'home'), NOTED_SOURCES: noted },
    stdio: 'ignore',
  });
  program.on('close', resolve);
  if ((await promise) !== 0) throw new Error(`capstan ${words.join(' ')} failed.`);
  const own = pathToFileURL(join(root, 'src/')).href;
  const urls = readFileSync(noted, 'utf8').split('\n');
  return urls.filter((url) => url.startsWith(own)).map((url) => relative(root, fileURLToPath(url)));
}
