import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const oracles = join(import.meta.dirname, '../../test/oracles');

/** The version of Codex that tests compare with, installed if need be; undefined when that fails. */
export function installCodex(): string | undefined {
  const { status } = spawnSync(process.execPath, [join(oracles, 'install.mjs')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) return undefined;
  const file = readFileSync(join(oracles, 'node_modules/@openai/codex/package.json'), 'utf8');
  return (JSON.parse(file) as { readonly version: string }).version;
}
