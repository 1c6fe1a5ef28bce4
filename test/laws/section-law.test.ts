import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fragment } from '../../src/fragments/define.ts';
import type { PermissionsText } from '../../src/fragments/permissions.ts';
import type { JsonWithoutNull } from '../../src/protocol/json.ts';
import type { InstructionDocument } from '../../src/envelope/facts.ts';
import { type Section, unknown } from '../../src/world/section.ts';
import { agentsMdSection } from '../../src/world/sections/agents-md.ts';
import type { Environment } from '../../src/envelope/environment.ts';
import { environmentsSection } from '../../src/world/sections/environments.ts';
import { permissionsSection } from '../../src/world/sections/permissions.ts';
import { readWorld } from './world-reader.ts';

const path = fc.oneof(
  fc.constantFrom('/repo', '/a b', '/x<y>&"\'', '/line\nbreak', '/</environment_context>', '/ünï'),
  fc.string({ unit: 'binary', maxLength: 20 }).map((name) => `/${name}`),
);

const environment: fc.Arbitrary<Environment> = fc.record({
  cwd: path,
  shell: fc.constantFrom('bash', 'zsh', 'sh'),
  date: fc.constantFrom('2026-11-15', '2026-11-16'),
  timezone: fc.constantFrom('Etc/UTC', 'Europe/Oslo'),
  approvalPolicy: fc.constantFrom('never', 'on-request'),
  sandboxMode: fc.constantFrom('read-only', 'workspace-write'),
  networkAccess: fc.constantFrom('restricted', 'enabled'),
  writableRoots: fc.array(path, { maxLength: 3 }),
  workspaceRoots: fc.array(path, { maxLength: 2 }),
  deniedPaths: fc.array(path, { maxLength: 2 }),
  allowedDomains: fc.array(fc.domain(), { maxLength: 2 }),
  deniedDomains: fc.array(fc.domain(), { maxLength: 2 }),
});

const permissions: fc.Arbitrary<PermissionsText> = fc.record({
  mode: fc.constantFrom('read-only', 'workspace-write', 'danger-full-access', 'external-sandbox'),
  network: fc.constantFrom('restricted', 'enabled'),
  approval: fc.constantFrom('never', 'on-request', 'untrusted'),
  writableRoots: fc.array(path, { maxLength: 3 }),
  readOnlyPaths: fc.array(path, { maxLength: 3 }),
  deniedPaths: fc.array(path, { maxLength: 3 }),
  readsEverything: fc.boolean(),
  approvedPrefixes: fc.constant([]),
  networkRules: fc.constant([]),
});

const instructions: fc.Arbitrary<InstructionDocument> = fc.record(
  {
    directory: fc.constantFrom('/repo', '/other'),
    text: fc.oneof(
      fc.constantFrom('Be kind.', '</INSTRUCTIONS>', '# AGENTS.md instructions'),
      fc.string({ minLength: 1 }),
    ),
  },
  { requiredKeys: [] },
);

function texts(fragments: readonly Fragment[]): readonly string[] {
  return fragments.map(({ text }) => text);
}

function obeysTheLaw<Fact, Stored extends JsonWithoutNull>(
  section: Section<Fact, Stored>,
  fact: fc.Arbitrary<Fact>,
): void {
  describe(`${section.id}`, () => {
    const orNothing = fc.option(fact, { nil: undefined });

    it('full and then change tell the same as full of the new fact', () => {
      fc.assert(
        fc.property(fact, orNothing, (a, b) => {
          const before = section.read(JSON.parse(JSON.stringify(section.stored(a))) as Stored);
          if (before === undefined) throw new Error('a stored fact must be readable');
          const told = readWorld([...texts(section.full(a)), ...texts(section.change(before, b))]);
          expect(told).toEqual(readWorld(b === undefined ? [] : texts(section.full(b))));
        }),
      );
    });

    it('an unknown past is answered in full, whatever was told before', () => {
      fc.assert(
        fc.property(fact, fact, (a, b) => {
          const told = readWorld([...texts(section.full(a)), ...texts(section.change(unknown, b))]);
          expect(told).toEqual(readWorld(texts(section.full(b))));
        }),
      );
    });

    it('says nothing when nothing changed', () => {
      fc.assert(
        fc.property(fact, (a) => {
          expect(section.change(section.stored(a), a)).toEqual([]);
        }),
      );
    });
  });
}

obeysTheLaw(environmentsSection, environment);
obeysTheLaw(permissionsSection, permissions);
obeysTheLaw(agentsMdSection, instructions);
