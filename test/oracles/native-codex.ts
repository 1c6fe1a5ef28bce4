import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The program itself, without the script that npm puts in front of it. */
export function nativeCodex(): string {
  const scope = join(import.meta.dirname, 'node_modules/@openai');
  const vendor = join(scope, `codex-${process.platform}-${process.arch}`, 'vendor');
  const found = (existsSync(vendor) ? readdirSync(vendor) : [])
    .map((triple) => join(vendor, triple, 'bin', process.platform === 'win32' ? 'codex.exe' : 'codex'))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error(`There is no program below ${vendor}: run npm ci in test/oracles.`);
  return found;
}
