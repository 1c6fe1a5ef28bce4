import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readHooksFile } from '../../src/adapters/hooks/load-hooks.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Script } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

/** The groups of a `hooks.json`, by event. */
export type HookTable = Readonly<Record<string, readonly JsonObject[]>>;

/** A group of one command. */
export function hook(command: string, { matcher, ...more }: JsonObject = {}): JsonObject {
  return { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command, ...more }] };
}

/** A command that prints this as its answer. */
export function prints(answer: JsonObject): string {
  return `cat >/dev/null; printf '%s' '${JSON.stringify(answer).replaceAll("'", `'\\''`)}'`;
}

/** A thread of a user with hooks, all of them trusted unless told otherwise. */
export async function hookedScene(
  script: Script,
  hooks: HookTable,
  { config = '', trust = true }: { readonly config?: string; readonly trust?: boolean } = {},
) {
  const live = await LiveThread.in(script, config);
  const path = join(live.place.home, 'hooks.json');
  const write = (table: HookTable): void => {
    writeFileSync(path, JSON.stringify({ hooks: table }));
    if (trust) trustAll(live.place.home);
  };
  write(hooks);
  return {
    live,
    write,
    /** The values that a hook wrote into a file of the home, one JSON value on each line. */
    seen: (name: string): readonly JsonObject[] =>
      readFileSync(join(live.place.home, name), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as JsonObject),
    /** A command that keeps what it reads. */
    keeps: (name: string): string => `cat >>'${join(live.place.home, name)}'; echo >>'${join(live.place.home, name)}'`,
    hookLines: () => live.place.lines().filter(({ type }) => type === 'capstan_hook'),
  };
}

/** Trusts all hooks of a home, as they are now. */
export function trustAll(home: string): void {
  const { hooks } = readHooksFile({ path: join(home, 'hooks.json'), owner: 'user' });
  const tables = hooks.map(({ key, hash }) => `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${hash}"\n`);
  appendFileSync(join(home, 'config.toml'), `\n${tables.join('')}`);
}
