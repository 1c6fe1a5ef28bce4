import { writeSync } from 'node:fs';
import { inheritanceFilter } from '../../../core/policy/environment/shell-environment-policy.ts';
import {
  isOwnToShell,
  type VariableCachePlace,
  cacheVariables,
  nodeOptionsName,
  releaseCaptureLock,
  removeStaleVariables,
} from './kept-variables.ts';

/**
 * Standalone program that the login shell runs at its end. It writes its environment as one line of JSON to its open
 * file 3, and to disk without secrets. It may outlive the process that asked, so that the next one has the answer.
 */
const place = JSON.parse(Buffer.from(process.argv[2] ?? '', 'base64url').toString()) as VariableCachePlace | null;
const found = Object.entries({ ...process.env, NODE_OPTIONS: process.env[nodeOptionsName] }).filter(
  (entry): entry is [string, string] =>
    entry[1] !== undefined && entry[0] !== nodeOptionsName && !isOwnToShell(entry[0]),
);

tell(`${JSON.stringify(Object.fromEntries(found))}\n`);
if (place !== null) keep(place);

function tell(text: string): void {
  const bytes = Buffer.from(text);
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(3, bytes, written);
  } catch {
    // The process that asked has ended.
  }
}

function keep({ folder, key, policy, secretNames }: VariableCachePlace): void {
  const passes = inheritanceFilter({ ...policy, ignoreDefaultExcludes: false });
  const kept = found.filter(([name]) => passes(name) && !secretNames.includes(name));
  const at = Date.now();
  try {
    cacheVariables(folder, key, { at, variables: Object.fromEntries(kept) });
    removeStaleVariables(folder, at);
  } finally {
    releaseCaptureLock(folder, key);
  }
}
