import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultWindowShares } from '../../src/core/config/defaults.ts';
import { resolveEnvelope } from '../../src/core/envelope/envelope.ts';
import type { TurnFacts } from '../../src/core/envelope/facts.ts';
import type { WindowSettings } from '../../src/core/envelope/settings.ts';
import { type ContextWindow, applyReportedWindows } from '../../src/core/envelope/window.ts';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { defaultShellEnvironmentPolicy } from '../../src/core/policy/environment/shell-environment-policy.ts';
import type { ThreadId, TurnId } from '../../src/protocol/ids.ts';
import { factsOf, firstWorld, settingsOf } from '../harness/world.ts';
import { fullFacts, fullSettings } from './full-envelope.ts';
import { noOwnPlaces } from '../../src/core/policy/paths/special-places.ts';

const { effort: _effort, ...bareSettings } = settingsOf(firstWorld);
const bareFacts: TurnFacts = {
  ...factsOf(firstWorld, firstWorld.cwd, 5_000),
  thread: { id: 'thread' as ThreadId, turnId: 'a-turn' as TurnId },
  tools: [{ name: 'exec_command', effect: 'program' }],
};
const guessedModel = { ...bareFacts.catalogue.fallback, slug: 'gpt-5.5', guessed: true };
const writable = builtInProfile('workspace-write', {
  network: false,
  writableRoots: [],
  excludeTmpdir: false,
  excludeSlashTmp: false,
});
const places = { cwd: '/repo', workspaceRoots: ['/repo'], slashTmp: true, gitDirectories: [], own: noOwnPlaces };

describe('with nothing but what must be there', () => {
  const envelope = resolveEnvelope(bareFacts, bareSettings);

  test('identity, workspace and instructions', () => {
    expect(envelope.identity).toEqual({
      model: guessedModel,
      provider: 'scripted',
      modelClient: 'responses',
      chosen: {},
      client: { name: 'capstan_test', version: '0' },
      sessionSource: 'exec',
      threadSource: 'user',
    });
    expect(envelope.workspace).toEqual({
      environment: 'local',
      cwd: '/repo',
      roots: ['/repo'],
      places,
      trust: 'trusted',
      shell: { name: 'bash', path: '/bin/bash' },
      date: '2026-11-15',
      timezone: 'Etc/UTC',
    });
    expect(envelope.instructions).toEqual({
      base: { text: 'You are a model in a test.', provenance: { type: 'model', model: 'gpt-5.5' } },
      user: { cwd: '/repo', trusted: 'trusted', maxBytes: 32_768, fallbackFilenames: [], rootMarkers: ['.git'] },
    });
  });

  test('policy and capabilities', () => {
    const { resolved, ...policy } = envelope.policy;
    expect(policy).toEqual({
      approval: 'never',
      profile: writable,
      sandboxLevel: 'workspace-write',
      shellEnvironment: defaultShellEnvironmentPolicy,
      rules: { prefixes: [], hosts: [], executables: {} },
      approvedPrefixes: [],
      networkRules: [],
      networkProxy: 'none',
    });
    expect(resolved).toMatchObject({ enforcement: 'managed', network: 'restricted' });
    expect(envelope.capabilities).toEqual({
      tools: ['exec_command'],
      features: ['enable_request_compression', 'hooks', 'plugins', 'remote_compaction_v2', 'responses_websockets'],
      editTools: 'patch',
      modalities: ['text', 'image'],
      imageGeneration: false,
      webSearch: false,
      apps: false,
      plugins: false,
    });
  });

  test('modes, telemetry and window', () => {
    expect(envelope.modes).toEqual({
      collaboration: { mode: 'default' },
      realtime: { active: false },
      compaction: 'structured',
      leaveOut: [],
    });
    expect(envelope.telemetry).toEqual({
      threadId: 'thread',
      turnId: 'a-turn',
      traceId: 'aturn',
      startedAt: 5_000,
      readiness: {},
      origins: {},
    });
    expect(envelope.window).toEqual({
      effective: 258_400,
      configured: 258_400,
      autoCompact: 232_560,
      mostAutoCompact: 232_560,
      autoCompactScope: 'total',
      checkpoint: { words: 51_680, pictures: 25_840, answer: 4000, records: 4000 },
      compactionReserve: 25_840,
      skills: 5_168,
      memory: 180_880,
      baseline: 12_000,
      toolOutput: { mode: 'bytes', limit: 10_000 },
      shares: defaultWindowShares(),
    });
  });
});

describe('with everything that can be chosen', () => {
  const envelope = resolveEnvelope(fullFacts(), fullSettings());
  const [model] = fullFacts().catalogue.models;

  test('identity, workspace and instructions', () => {
    expect(envelope.identity).toEqual({
      model: { ...model, guessed: false, sources: { maxOutputTokens: 'a test' } },
      provider: 'scripted',
      address: 'https://models.example/v1',
      price: { input: 1, output: 2, source: 'model_prices' },
      sampling: { temperature: 1 },
      modelClient: 'responses',
      effort: 'high',
      summary: 'concise',
      verbosity: 'high',
      chosen: { effort: 'high', summary: 'concise', verbosity: 'high' },
      serviceTier: 'priority',
      client: { name: 'capstan_test', version: '1' },
      sessionSource: 'cli',
      threadSource: 'subagent',
    });
    expect(envelope.workspace).toEqual({
      environment: 'local',
      cwd: '/repo',
      roots: ['/repo'],
      places,
      trust: 'trusted',
      shell: { name: 'bash', path: '/bin/bash' },
      date: '2026-11-15',
      timezone: 'Etc/UTC',
    });
    expect(envelope.instructions).toEqual({
      // The instructions from the beginning of the thread stay, and those of this model are told besides.
      base: { text: 'You are another.', provenance: { type: 'model', model: 'gpt-5' } },
      model: 'You are gpt-5.5.',
      developer: 'Prefer small steps.',
      managed: 'Keep records.',
      user: {
        cwd: '/repo',
        trusted: 'trusted',
        maxBytes: 1000,
        fallbackFilenames: ['CLAUDE.md'],
        rootMarkers: ['.hg'],
      },
      compactPrompt: 'Sum it up.',
    });
  });

  test('policy and capabilities', () => {
    const { resolved: _resolved, ...policy } = envelope.policy;
    expect(policy).toEqual({
      approval: 'on-request',
      canAsk: true,
      hasUser: true,
      answersOnce: true,
      askedApproval: 'untrusted',
      reviewer: 'auto_review',
      reviewPolicy: 'Deny deployments.',
      profile: writable,
      sandboxLevel: 'workspace-write',
      shellEnvironment: defaultShellEnvironmentPolicy,
      rules: {
        prefixes: [{ pattern: ['git', 'log'], decision: 'allow', source: '/home/rules/default.rules:1' }],
        hosts: [],
        executables: {},
      },
      approvedPrefixes: [['git', 'log']],
      networkRules: [{ host: 'example.org', action: 'allow' }],
      networkProxy: 'none',
      limits: {
        turnTokens: 1,
        threadTokens: 2,
        turnCost: 3,
        threadCost: 4,
        continued: { tokens: 5, nanoUsd: 6, unpriced: 0 },
      },
    });
    expect(envelope.capabilities).toEqual({
      tools: ['exec_command', 'view_image'],
      clientTools: [{ type: 'function', name: 'lookup', description: 'Looks up.', inputSchema: { type: 'object' } }],
      features: [
        'enable_request_compression',
        'hooks',
        'plugins',
        'remote_compaction_v2',
        'responses_websockets',
        'one',
      ],
      editTools: 'patch',
      modalities: ['text', 'image'],
      imageGeneration: true,
      webSearch: true,
      apps: true,
      plugins: true,
      onlyTools: ['exec_command', 'mcp__*'],
      withoutTools: ['update_plan'],
    });
  });

  test('modes, telemetry and window', () => {
    expect(envelope.modes).toEqual({
      // The model cannot run the mode; what was asked for is kept beside what holds.
      collaboration: { mode: 'default', asked: 'plan', given: 'Plan first.' },
      personality: 'friendly',
      realtime: { active: true, startInstructions: 'Speak.' },
      outputSchema: { type: 'object' },
      compaction: 'plain',
      leaveOut: ['apps'],
    });
    expect(envelope.telemetry).toEqual({
      threadId: '01a1dcd3-0000-7000-8000-000000000001',
      turnId: '01a1dcd3-0000-7000-8000-000000000002',
      traceId: '0123456789abcdef0123456789abcdef',
      startedAt: 1_794_720_724_810,
      readiness: { mcp: 'starting' },
      origins: { effort: 'user', window: 'profile wide', baseInstructions: 'thread' },
    });
    expect(envelope.window).toEqual({
      effective: 120_000,
      configured: 120_000,
      autoCompact: 80_000,
      mostAutoCompact: 80_000,
      autoCompactScope: 'total',
      compactionReserve: 12_000,
      checkpoint: { words: 24_000, pictures: 12_000, answer: 4000, records: 4000 },
      skills: 2_400,
      memory: 84_000,
      baseline: 12_000,
      toolOutput: { mode: 'tokens', limit: 10_000 },
      shares: { ...defaultWindowShares(), ...fullSettings().window },
    });
  });

  test('a tool for eyes is not offered to a model without any', () => {
    const blind = { ...model!, modalities: ['text'] };
    const facts = { ...fullFacts(), catalogue: { ...fullFacts().catalogue, models: [blind] as const } };
    expect(resolveEnvelope(facts, fullSettings()).capabilities.tools).toEqual(['exec_command']);
  });
});

test('nothing in an envelope can be changed, however deep', () => {
  const envelope = resolveEnvelope(fullFacts(), fullSettings());
  const places = objectsIn(envelope);
  expect(places.length).toBeGreaterThan(40);
  fc.assert(
    // A prototype that is no object is ignored in silence.
    fc.property(
      fc.constantFrom(...places),
      fc.string().filter((key) => key !== '__proto__'),
      (place, key) => {
        const before = JSON.stringify(envelope);
        const assign = (name: string): void => {
          (place as Record<string, unknown>)[name] = 'changed';
        };
        expect(() => assign(key)).toThrow(TypeError);
        for (const name of Object.keys(place)) {
          expect(() => assign(name)).toThrow(TypeError);
          expect(() => delete (place as Record<string, unknown>)[name]).toThrow(TypeError);
        }
        expect(JSON.stringify(envelope)).toBe(before);
      },
    ),
  );
});

describe('the window', () => {
  const windowOf = (window: WindowSettings): ContextWindow =>
    resolveEnvelope(bareFacts, { ...bareSettings, window }).window;
  const shares = { compactionReserve: 10, skills: 2, memory: 70 } as const;

  test.each([
    ['the percentage', fc.integer({ min: 1, max: 100 }).map((effectivePercent) => ({ effectivePercent }))],
    ['flat tokens', fc.integer({ min: 100, max: 272_000 }).map((effectiveTokens) => ({ effectiveTokens }))],
    ['a smaller window', fc.integer({ min: 1_000, max: 272_000 }).map((contextWindow) => ({ contextWindow }))],
  ])('%s moves every budget', (_name, setting) => {
    fc.assert(
      fc.property(setting, (chosen: WindowSettings) => {
        const { effective, baseline, toolOutput, ...budgets } = windowOf(chosen);
        const raw = Math.min(chosen.contextWindow ?? 272_000, 272_000);
        const wanted = chosen.effectiveTokens ?? Math.floor((raw * (chosen.effectivePercent ?? 95)) / 100);
        expect(effective).toBe(wanted);
        for (const [name, percent] of Object.entries(shares)) {
          const part = Math.floor((effective * percent) / 100);
          const least = name === 'skills' || name === 'memory' ? 1 : 0;
          expect([name, budgets[name as keyof typeof shares]]).toEqual([name, Math.max(least, part)]);
        }
        // Nine tenths, or less where the window would not hold the question for a checkpoint and its answer.
        const share = (percent: number): number => Math.floor((effective * percent) / 100);
        const askable = effective - Math.min(4000, share(10)) - 1500;
        const limit = askable < share(70) ? share(90) : Math.min(share(90), askable);
        expect(budgets.autoCompact).toBe(limit);
        expect(baseline).toBe(Math.min(12_000, Math.floor(effective / 4)));
        // Bytes: a quarter of the window, four bytes to a token.
        expect(toolOutput).toEqual({ mode: 'bytes', limit: Math.min(10_000, Math.floor(effective / 4) * 4) });
      }),
    );
  });

  test('that a server names in the middle of a turn counts as if it had been known when the turn began', () => {
    const chosen: fc.Arbitrary<WindowSettings> = fc.record(
      {
        effectivePercent: fc.integer({ min: 1, max: 100 }),
        effectiveTokens: fc.integer({ min: 100, max: 272_000 }),
        autoCompactPercent: fc.integer({ min: 10, max: 90 }),
        toolOutputTokens: fc.integer({ min: 1, max: 100_000 }),
      },
      { requiredKeys: [] },
    );
    const named = fc.integer({ min: 1001, max: 300_000 });
    fc.assert(
      fc.property(chosen, named, fc.integer({ max: 1 }), (window, tokens, since) => {
        const settings = { ...bareSettings, window };
        const before = resolveEnvelope(bareFacts, settings);
        const { provider, model } = before.identity;
        const claim = { provider, model: model.slug, tokens, assumed: before.window.configured - since };
        const facts = { ...bareFacts, thread: { ...bareFacts.thread, windows: [claim] } };
        const known = resolveEnvelope(facts, settings);
        expect(applyReportedWindows(before, [claim])).toEqual(known.window);
        // A claim that was refuted counts no more.
        expect(applyReportedWindows(known, [])).toEqual(before.window);
        expect(applyReportedWindows(before, []).effective).toBeGreaterThanOrEqual(known.window.effective);
      }),
    );
  });

  test('no setting gives more than the catalogue knows of the model', () => {
    const { model } = bareSettings;
    const models = [{ ...bareFacts.catalogue.fallback, slug: model }] as const;
    const facts = { ...bareFacts, catalogue: { ...bareFacts.catalogue, models } };
    const known = (window: WindowSettings) => resolveEnvelope(facts, { ...bareSettings, window }).window.effective;
    expect(known({ contextWindow: 1_000_000 })).toBe(258_400);
    expect(known({ effectiveTokens: 1_000_000 })).toBe(272_000);
  });

  test('of a model that the catalogue does not know, the user knows the window', () => {
    const unknown = (window: WindowSettings) =>
      resolveEnvelope(bareFacts, { ...bareSettings, model: 'qwen:latest', window }).window.effective;
    expect(unknown({})).toBe(258_400);
    expect(unknown({ contextWindow: 1_000_000 })).toBe(950_000);
    expect(unknown({ effectiveTokens: 1_000_000 })).toBe(1_000_000);
    expect(unknown({ contextWindow: 500_000, effectiveTokens: 1_000_000 })).toBe(500_000);
  });
});

function objectsIn(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}
