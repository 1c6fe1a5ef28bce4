import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Script, type ScriptedModel, startScriptedModel } from '../../src/testing/index.ts';
import { type Finished, Place, type Running } from '../harness/run-capstan.ts';
import { requireOracles } from './require-oracles.ts';

export interface Scene {
  readonly model: ScriptedModel;
  /** One home and one configuration for both programs. */
  readonly place: Place;
}

/** Nothing but the workspace is writable. Temporary folders are shared by all tests that run, and by others. */
const workspaceAlone = `[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
`;

/** A scripted model and a place for one test, which takes them away when it is over. */
export async function scene(script: Script): Promise<Scene> {
  await requireOracles();
  const model = await startScriptedModel(script);
  const place = new Place(model.url, workspaceAlone);
  // The file ends with the table of the provider.
  appendFileSync(join(place.home, 'config.toml'), 'request_max_retries = 1\nstream_max_retries = 2\n');
  onTestFinished(async () => {
    await model.close();
    place.remove();
  });
  return { model, place };
}

/** Runs `capstan exec --json`. */
export function runCapstan(place: Place, ...words: readonly string[]): Promise<Finished> {
  return startCapstan(place, ...words).finished;
}

export function startCapstan(place: Place, ...words: readonly string[]): Running {
  return place.start(['exec', '--json', ...words]);
}

/** The thread that a run says it is in. Throws when it says none. */
export function threadOf({ stdout, stderr }: Pick<Finished, 'stdout'> & { readonly stderr?: string }): string {
  const id = /"thread_id":"(?<id>[0-9a-f-]{36})"/.exec(stdout)?.groups?.['id'];
  if (id === undefined) throw new Error(`no thread was started:\n${stdout}\n${stderr ?? ''}`);
  return id;
}
