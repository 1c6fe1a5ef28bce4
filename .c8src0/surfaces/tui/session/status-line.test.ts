import { describe, expect, it } from 'vitest';
import type { Settings } from '../../../core/envelope/settings.ts';
import { builtInProfile } from '../../../core/policy/profiles/profiles.ts';
import { defaultShellEnvironmentPolicy } from '../../../core/policy/environment/shell-environment-policy.ts';
import type { Goal } from '../../../protocol/thread.ts';
import type { SandboxMode } from '../../../protocol/permissions.ts';
import { noUsage } from '../../../protocol/usage.ts';
import { rowColumns } from '../screen/text/draw-row.ts';
import type { Look } from '../screen/text/look.ts';
import { parseStatusIds, type StatusFacts, statusItems, usualStatusLine } from './status-items.ts';
import { parseTitleIds, statusRow, windowTitle } from './status-line.ts';

const look: Look = {
  width: 100,
  colours: 'none',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 0,
  cwd: '/home/ada/engine',
  home: '/home/ada',
};

function settings(mode: SandboxMode, rest: Partial<Settings> = {}): Settings {
  return {
    model: 'gpt-5.5',
    provider: 'openai',
    effort: 'high',
    cwd: '/home/ada/engine',
    approvals: 'on-request',
    sandbox: builtInProfile(mode, { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false }),
    shellEnvironment: defaultShellEnvironmentPolicy,
    ...rest,
  };
}

const facts: StatusFacts = {
  settings: settings('workspace-write'),
  next: undefined,
  usage: {
    total: { ...noUsage, input: 50_000, cachedInput: 10_000, output: 1050, total: 51_050 },
    tokens: 50_050,
    measure: 'exact',
    effectiveWindow: 258_400,
    percentRemaining: 84.6,
  },
  threadId: '0199',
  profileName: undefined,
  host: 'machine',
  runState: 'Ready',
  repository: '/home/ada/engine',
  branch: 'main',
  name: undefined,
  firstWords: 'Fix the\ntests \u001B[2Jplease.',
  tasks: { done: 1, all: 3 },
  goal: undefined,
};

function shown(some: Partial<StatusFacts>, width: number, items = usualStatusLine): string {
  return statusRow({ ...facts, ...some }, { items, hasColours: true }, { ...look, width })
    .map(({ text }) => text)
    .join('');
}

describe('the status line', () => {
  it('has the usual items at the left and the mode at the right', () => {
    expect(shown({}, 110)).toBe(
      `  gpt-5.5 high · Context 85% left · ~/engine · main · 41K tokens · Tasks 1/3${' '.repeat(110 - 76 - 4)}Ask`,
    );
  });

  it('keeps no folder and no branch where there is no room for the context', () => {
    const next = settings('read-only', { model: 'gpt-9' });
    expect(shown({ next }, 60)).toBe('  gpt-5.5 high (next: gpt-9 high)     Ask (next: Read only)');
    expect(shown({ next }, 72)).toContain('(next: gpt-9 high) · 85% left  ');
    expect(shown({ next }, 80)).toContain('(next: gpt-9 high) · Context 85% left');
  });

  it('keeps the mode in sight at every width, and drops items that do not fit', () => {
    expect(shown({}, 42)).toBe('  gpt-5.5 high · Context 85% left     Ask');
    expect(shown({}, 20)).toBe('  gpt-5.5 high  Ask');
    for (let width = 1; width <= 300; width++) {
      const row = statusRow(facts, { items: usualStatusLine, hasColours: true }, { ...look, width });
      expect(rowColumns(row)).toBeLessThanOrEqual(width);
      expect(row.at(-1)?.text).toBe(width < 3 ? '…' : 'Ask');
    }
  });

  it.each([
    ['Read only', { settings: settings('read-only') }, undefined],
    ['Full access', { settings: settings('danger-full-access', { approvals: 'never' }) }, 'warn'],
    ['workspace-write, untrusted', { settings: settings('workspace-write', { approvals: 'untrusted' }) }, undefined],
    ['Plan mode', { settings: settings('workspace-write', { collaboration: { mode: 'plan' } }) }, 'special'],
  ])('names the mode: %s', (name, some, colour) => {
    const mode = statusRow({ ...facts, ...some }, { items: [], hasColours: false }, look).at(-1);
    expect([mode?.text, mode?.style?.colour]).toEqual([name, colour]);
  });

  it('while a turn runs, says what it runs under, and beside it what was chosen for the next', () => {
    const next = settings('read-only', { model: 'gpt-5.6-sol' });
    expect(shown({ next }, 90, ['model-with-reasoning', 'permissions'])).toBe(
      '  gpt-5.5 high (next: gpt-5.6-sol high)                             Ask (next: Read only)',
    );
    expect(shown({ next: settings('workspace-write') }, 42)).toBe('  gpt-5.5 high · Context 85% left     Ask');
  });

  it.each([
    [31, undefined],
    [30, 'warn'],
    [11, 'warn'],
    [10, 'bad'],
    [0, 'bad'],
  ])('colours the context at %i %%, also without other colours', (left, colour) => {
    const row = statusRow(
      { ...facts, usage: { ...facts.usage, percentRemaining: left } },
      { items: ['context-remaining', 'model'], hasColours: false },
      look,
    );
    expect(row[1]).toMatchObject({ text: `Context ${left}% left` });
    expect(row[1]?.style?.colour).toBe(colour);
    expect(row[3]?.style?.colour).toBeUndefined();
  });

  it('has every item in the order that was chosen, and leaves out what has nothing to say', () => {
    const all = Object.keys(statusItems) as (keyof typeof statusItems)[];
    const line = shown({ name: 'tests', branch: undefined }, 1000, all.toReversed());
    expect(line).toContain('  v');
    expect(line).toContain(
      ' · 0199 · tests · tests · Tasks 1/3 · 1.05K out · 50K in · 41K tokens · Ready · machine · engine · ~/engine · on-request · workspace-write, on-request · 258K window · Context 15% used · Context 85% left · openai · high · gpt-5.5 · gpt-5.5 high',
    );
  });

  it('says a cost once something has cost', () => {
    const cost = { nanoUsd: 0, unpriced: 0 };
    const total = { ...facts.usage.total, cost };
    const items = ['model', 'estimated-thread-cost'] as const;
    expect(shown({ usage: { ...facts.usage, total } }, 40, items)).toContain('gpt-5.5 · $0.00');
    expect(shown({ usage: { ...facts.usage, total: { ...noUsage, cost } } }, 40, items)).not.toContain('$');
  });

  it('reads ids, also those of other programs, each once', () => {
    expect(parseStatusIds(['model', 'weekly-limit', 'project', 'nope', 'model'])).toEqual({
      ids: ['model', 'project-name'],
      unknown: ['nope'],
    });
  });
});

describe('the title of the window', () => {
  const usual = parseTitleIds(['activity', 'thread-title', 'project-name', 'huh']);

  it('says what is going on, and where', () => {
    expect(usual.unknown).toEqual(['huh']);
    const title = (some: Partial<StatusFacts>, now = 0, motion: 'none' | undefined = undefined): string =>
      windowTitle({ ...facts, ...some }, usual.ids, { ...look, now, ...(motion && { motion }) });
    expect(title({ name: 'tests' })).toBe('tests | engine');
    expect(title({ name: 'tests', runState: 'Working' }, 3000)).toBe('⠸ | tests | engine');
    expect(title({ name: 'tests', runState: 'Waiting' }, 1000)).toBe('[ . ] Action required | tests | engine');
    expect(title({ name: 'tests', runState: 'Waiting' }, 1000, 'none')).toBe('[ ! ] Action required | tests | engine');
    expect(title({ firstWords: 'x'.repeat(500), repository: undefined })).toBe(`${'x'.repeat(60)} | engine`);
  });
});

it('says how a goal stands until it is reached', () => {
  const goal = { objective: 'All green.', tokensUsed: 40_000, timeUsedSeconds: 9 } as Goal;
  const words = (some: Partial<Goal>): string => shown({ goal: { ...goal, ...some } }, 120, ['goal']).trim();
  expect(words({ status: 'active', tokenBudget: 50_000 })).toMatch(/^goal active, 40K of 50K tokens/);
  expect(words({ status: 'paused' })).toMatch(/^goal paused, 40K tokens/);
  expect(words({ status: 'complete' })).not.toContain('goal');
});
