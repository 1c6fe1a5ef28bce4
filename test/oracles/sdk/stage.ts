import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Codex, CodexOptions, Thread, ThreadOptions } from '@openai/codex-sdk';
import type { Script } from '../../../src/testing/index.ts';
import { capstanScript, type Place } from '../../harness/run-capstan.ts';
import { codexSearchPath, nativeCodex } from '../native-codex.ts';
import { type Scene, scene } from '../scene.ts';

/** The programs that the SDK can have behind it. What both do alike is tested with each of them. */
export const programs = ['capstan', 'codex'] as const;
export type Program = (typeof programs)[number];

/** A scripted model, a place, and the SDK with one of the programs behind it. */
export interface Stage extends Scene {
  /** The file that the SDK starts. */
  readonly command: string;
  readonly codex: (options?: CodexOptions) => Codex;
  /** A new thread in the workspace. */
  readonly start: (options?: ThreadOptions) => Thread;
}

export async function stage(program: Program, script: Script): Promise<Stage> {
  const set = await scene(script);
  // Not before the scene: it installs what is imported here.
  const sdk = await import('@openai/codex-sdk');
  const command = program === 'codex' ? nativeCodex() : capstanCommand(set.place);
  const codex = ({ env, ...options }: CodexOptions = {}): Codex =>
    new sdk.Codex({ codexPathOverride: command, env: { ...variablesFor(set.place, program), ...env }, ...options });
  return {
    ...set,
    command,
    codex,
    start: (options) => codex().startThread({ workingDirectory: set.place.workspace, ...options }),
  };
}

/** The variables that a program needs to find its home and its sandbox. */
export function variablesFor({ home }: Place, program: Program): Record<string, string> {
  const path = program === 'codex' ? codexSearchPath() : (process.env['PATH'] ?? '');
  return { PATH: path, HOME: process.env['HOME'] ?? '', CODEX_HOME: home };
}

/** The SDK starts one file. This one notes its number and becomes the command, so that signals reach it. */
function capstanCommand({ root }: Place): string {
  const path = join(root, 'capstan');
  const script = `#!/bin/sh\necho $$ >> '${join(root, 'pids')}'\nexec '${process.execPath}' '${capstanScript}' "$@"\n`;
  writeFileSync(path, script, { mode: 0o755 });
  return path;
}
