import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fragment } from '../../src/core/fragments/text/define-fragment.ts';
import { isJsonObject, type Json, type JsonWithoutNull } from '../../src/protocol/json.ts';
import { type Section, unknownState } from '../../src/core/world/sections/section.ts';
import { worldSections } from '../../src/core/world/catalog.ts';
import {
  agentsMdSection,
  developerInstructionsSection,
  managedInstructionsSection,
  sessionContextSection,
} from '../../src/core/world/sections/instructions.ts';
import { appsSection, pluginsSection } from '../../src/core/world/sections/plugins-and-apps.ts';
import { collaborationModeSection, personalitySection, realtimeSection } from '../../src/core/world/sections/modes.ts';
import {
  deferredToolsSection,
  mcpInstructionsSection,
  mcpServersSection,
} from '../../src/core/world/sections/deferred-tools-and-mcp-servers.ts';
import { environmentsSection } from '../../src/core/world/sections/environments.ts';
import { modelSection } from '../../src/core/world/sections/model.ts';
import { permissionsSection } from '../../src/core/world/sections/permissions.ts';
import { memorySection, pinnedNotesSection } from '../../src/core/world/sections/memory-and-pinned-notes.ts';
import { knownAgentsSection } from '../../src/core/world/sections/agents.ts';
import { sessionsSection } from '../../src/core/world/sections/sessions.ts';
import { skillsSection } from '../../src/core/world/sections/skills.ts';
import * as facts from './section-facts.ts';
import { isWorldText, readWorld, type WorldFacts } from './world-reader.ts';

const tested = new Set<string>();

interface Lifetime {
  /** The section always has a fact, so there is nothing to withdraw. */
  readonly always?: true;
}

function obeysTheLaw<Fact, Stored extends JsonWithoutNull, Past = Stored>(
  section: Section<Fact, Stored, Past>,
  fact: fc.Arbitrary<Fact>,
  { always }: Lifetime = {},
): void {
  tested.add(section.id);
  const orNothing = always === true ? fact : fc.option(fact, { nil: undefined });
  const whole = (now: Fact | undefined): readonly Fragment[] => (now === undefined ? [] : section.full(now));
  const past = (told: Fact | undefined): Past | undefined => {
    if (told === undefined) return undefined;
    const kept = [section.stored(told), section.beside?.stored(told)].map((value) =>
      value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as Json),
    );
    const before = section.read(kept[0]!, kept[1]);
    if (before === undefined) throw new Error('a stored fact must be readable');
    return before;
  };

  describe(`${section.id}`, () => {
    it('changes, one after the other, tell the same as the full form of the last fact', () => {
      fc.assert(
        fc.property(fact, fc.array(orNothing, { minLength: 1, maxLength: 3 }), (first, later) => {
          let before: Fact | undefined = first;
          const told = [...section.full(first)];
          for (const now of later) {
            const stored = past(before);
            told.push(...(stored === undefined ? whole(now) : section.change(stored, now)));
            before = now;
          }
          expect(knownFrom(told)).toEqual(knownFrom(whole(later.at(-1))));
        }),
      );
    });

    it('an unknown past is answered so that it does not matter, whatever was told before', () => {
      fc.assert(
        fc.property(fc.array(fact, { maxLength: 2 }), orNothing, (before, now) => {
          const told = [...before.flatMap((each) => section.full(each)), ...section.change(unknownState, now)];
          expect(knownFrom(told)).toEqual(knownFrom(whole(now)));
        }),
      );
    });

    it('says nothing when nothing changed', () => {
      fc.assert(
        fc.property(fact, (now) => {
          expect(section.change(past(now)!, now)).toEqual([]);
        }),
      );
    });

    it('stores what survives the file, and no null', () => {
      fc.assert(
        fc.property(fact, (now) => {
          const stored = section.stored(now);
          expect(past(now)).toEqual(section.beside === undefined ? stored : past(now));
          expect(holdsNull(stored) || holdsNull(section.beside?.stored(now))).toBe(false);
        }),
      );
    });

    it('reads anything, and continues from what it read', () => {
      const anything = fc.jsonValue() as fc.Arbitrary<Json>;
      // Near enough to what we write that a reader could take it for ours.
      const edited = fc.tuple(fact, anything, fc.nat(9)).map(([each, value, at]): Json => {
        const stored: Json = section.stored(each);
        if (!isJsonObject(stored)) return value;
        const keys = Object.keys(stored);
        return { ...stored, [keys[at % keys.length] ?? 'x']: value };
      });
      fc.assert(
        fc.property(fc.oneof(anything, edited), fc.option(anything), orNothing, (stored, beside, now) => {
          const before = section.read(stored, beside);
          for (const { role, text } of section.change(before ?? unknownState, now)) {
            expect(isWorldText({ role, text })).toBe(true);
          }
        }),
      );
    });
  });
}

function knownFrom(fragments: readonly Fragment[]): WorldFacts {
  for (const fragment of fragments) expect(isWorldText(fragment), fragment.text).toBe(true);
  return readWorld(fragments);
}

/** In objects: there a patch would take it for a removal. */
function holdsNull(value: Json | undefined): boolean {
  if (value === null) return true;
  return isJsonObject(value) && Object.values(value).some(holdsNull);
}

obeysTheLaw(modelSection, facts.models, { always: true });
obeysTheLaw(permissionsSection, facts.permissions);
obeysTheLaw(permissionsSection, facts.permissionsThatGrow);
obeysTheLaw(collaborationModeSection, facts.collaborationMode);
obeysTheLaw(realtimeSection, facts.realtime);
obeysTheLaw(personalitySection, facts.personality);
obeysTheLaw(developerInstructionsSection, facts.text);
obeysTheLaw(appsSection, fc.boolean());
obeysTheLaw(pluginsSection, fc.boolean());
obeysTheLaw(deferredToolsSection, facts.deferredTools);
obeysTheLaw(skillsSection, facts.skills);
obeysTheLaw(mcpInstructionsSection, facts.mcpInstructions);
obeysTheLaw(mcpServersSection, facts.mcpServers);
obeysTheLaw(memorySection, facts.memory);
obeysTheLaw(sessionContextSection, facts.sessionContext);
obeysTheLaw(managedInstructionsSection, facts.text);
obeysTheLaw(agentsMdSection, facts.instructions);
obeysTheLaw(pinnedNotesSection, facts.pinnedNotes);
obeysTheLaw(sessionsSection, facts.sessions);
obeysTheLaw(knownAgentsSection, facts.knownAgents);
obeysTheLaw(environmentsSection, facts.environment);

it('holds the law against every section', () => {
  expect([...tested].toSorted()).toEqual(worldSections.map(({ id }) => id).toSorted());
});

/** Chosen base instructions hold for every model: a switch says nothing, whatever it is from and to. */
it('is silent about models under custom instructions', () => {
  const custom = { model: 'two', guidance: { kind: 'custom' }, digest: '2' } as const;
  const pasts = [{ model: 'one', digest: '1' }, { model: 'two', digest: '1' }, unknownState] as const;
  expect([modelSection.full(custom), ...pasts.map((past) => modelSection.change(past, custom))]).toEqual([
    [],
    [],
    [],
    [],
  ]);
});

/** An earlier version stored the name alone, and another program drops what it does not know. */
it('does not tell a model its guidance again because nothing says what it was', () => {
  const now = { model: 'two', guidance: { kind: 'text', text: 'Guidance.' }, digest: '2' } as const;
  for (const beside of [undefined, null, {}, { model: 'one', instructions: '1' }, '1']) {
    expect(modelSection.change(modelSection.read('two', beside)!, now)).toEqual([]);
    expect(modelSection.change(modelSection.read('one', beside)!, now)).toHaveLength(1);
  }
});
