import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { variablesWithCompiled } from './compiled-once.ts';

export interface OtherEngine {
  readonly child: ChildProcess;
  /** Its output, once it has ended. */
  readonly printed: Promise<string>;
}

export interface OtherEngineOptions {
  /** As `mount-engine.ts` describes them. */
  readonly role: 'rounds' | 'stops';
  readonly rounds: number;
  readonly registry?: string;
}

/** An engine in another process that mounts on `.codex` in the folder. */
export function otherEngine(base: string, { role, rounds, registry = 'registry' }: OtherEngineOptions): OtherEngine {
  const words = [join(import.meta.dirname, 'mount-engine.ts'), base, role, String(rounds), registry];
  const child = spawn(process.execPath, words, { env: variablesWithCompiled(), stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  return { child, printed: new Promise((resolve) => child.on('close', () => resolve(text))) };
}

export async function stopped({ child }: OtherEngine): Promise<void> {
  const state = () => readFileSync(`/proc/${child.pid}/stat`, 'latin1').split(') ').at(-1)?.[0];
  await vi.waitUntil(() => state() === 'T', { timeout: 20_000, interval: 5 });
}
