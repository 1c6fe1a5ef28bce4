import type { Facts, StepFacts } from '../../src/envelope/facts.ts';
import type { Settings } from '../../src/envelope/settings.ts';
import { profileFor } from '../../src/policy/profiles.ts';
import { defaultShellEnvironmentPolicy } from '../../src/policy/shell-environment-policy.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Ids } from '../../src/ports/ids.ts';
import type { SandboxMode } from '../../src/protocol/permission-profile.ts';

/** Time that moves by one second with each look at it, and never makes anybody wait. */
export function steppingClock(): Clock {
  let now = Date.UTC(2026, 10, 15);
  return {
    now: () => (now += 1000),
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

/** Ids in order of their making. */
export function countingIds(start: number): Ids {
  let count = start * 0x10000;
  return {
    uuid() {
      const digits = (++count).toString(16).padStart(12, '0');
      return `01a1dcd3-0000-7000-8000-${digits}`;
    },
  };
}

export interface World {
  readonly model: string;
  readonly effort: string;
  readonly cwd: string;
  readonly mode: SandboxMode;
  readonly date: string;
  readonly instructions: string | undefined;
}

export const firstWorld: World = {
  model: 'gpt-5.5',
  effort: 'medium',
  cwd: '/repo',
  mode: 'workspace-write',
  date: '2026-11-15',
  instructions: 'Be kind.',
};

export function settingsOf({ model, effort, cwd, mode }: World): Settings {
  return {
    model,
    effort,
    provider: 'scripted',
    cwd,
    approval: 'never',
    profile: profileFor(mode, { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false }),
    shellEnvironment: defaultShellEnvironmentPolicy,
  };
}

export function factsOf({ cwd, date }: World, epochMs: number): Facts {
  return {
    time: { epochMs, date, timezone: 'Etc/UTC' },
    shell: { name: 'bash', path: '/bin/bash' },
    places: { cwd, workspaceRoots: [cwd], slashTmp: true, gitDirectories: [] },
    trust: 'trusted',
    catalogue: {
      models: [],
      fallback: {
        contextWindow: 272_000,
        effectivePercent: 95,
        truncation: { mode: 'bytes', limit: 10_000 },
        supportedEfforts: [],
        serviceTiers: [],
        modalities: ['text', 'image'],
        imageGeneration: false,
        webSearch: false,
        modes: { default: {}, plan: {} },
        instructions: 'You are a model in a test.',
      },
    },
    client: { name: 'capstan_test', version: '0', source: 'exec' },
  };
}

export function stepFactsOf({ cwd, date, instructions }: World): StepFacts {
  const instructionDocument = instructions === undefined ? {} : { directory: cwd, text: instructions };
  return { date, instructionDocument };
}
