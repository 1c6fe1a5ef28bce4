import { existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * The search path for a process of Codex. It takes the first `bwrap` on it, and what it can do depends on the version: so
 * the one that it brings along comes first, whatever the machine has.
 */
export function codexSearchPath(): string {
  const resources = join(dirname(dirname(nativeCodex())), 'codex-resources');
  return [resources, process.env['PATH'] ?? ''].join(delimiter);
}

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
