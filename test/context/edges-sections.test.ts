import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { permissionsSection, type PermissionsText } from '../../src/core/world/sections/permissions.ts';
import { unknownState } from '../../src/core/world/sections/section.ts';
import { worldSections } from '../../src/core/world/catalog.ts';
import { realtimeSection } from '../../src/core/world/sections/modes.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { noRestrictedPrefixes } from '../../src/core/policy/rules/rule-set.ts';

const yes = () => answer({ items: [say('Yes.')] });
/** The context in each request, besides words and answers. */
const context = (live: LiveThread) =>
  live.model.requests.map((_, request) =>
    live.added(request).flatMap(([role, ...texts]) => (role === 'developer' ? texts : [])),
  );
const tagged = (tag: string, text: string) => `<${tag}>\n${text}\n</${tag}>`;

describe('instructions that come with the configuration', () => {
  it('of developers are told, replaced and taken back, each once', async () => {
    const live = await LiveThread.in(yes);
    const say = (text: string) => ({ config: [`developer_instructions=${JSON.stringify(text)}`] });
    for (const [index, text] of ['Be kind.', 'Be kind.', 'Be brief.', '', ''].entries()) {
      await live.open(say(text));
      await live.turn(`turn ${index}`);
    }
    const told = context(live).map((texts) => texts.filter((text) => text.startsWith('<developer_instructions>')));
    expect(told).toEqual([
      [tagged('developer_instructions', 'Be kind.')],
      [],
      [expect.stringMatching(/^<developer_instructions>\nThese take the place .*\n\nBe brief\.\n/)],
      [expect.stringMatching(/no longer (?:hold|apply)/)],
      [],
    ]);
  });

  it('of the administrator too, alone and last of what developers say', async () => {
    const live = await LiveThread.in(yes, 'developer_instructions = "Be kind."');
    const folder = join(live.place.root, 'etc');
    mkdirSync(folder);
    for (const [index, text] of ['Stay inside.', 'Stay inside.', 'Stay here.', ''].entries()) {
      writeFileSync(join(folder, 'requirements.toml'), `additional_developer_instructions = "${text}"\n`);
      await live.open({ systemFolders: [folder] });
      await live.turn(`turn ${index}`);
    }
    expect(live.layout(0).slice(0, 3)).toEqual([
      ['developer', 'permissions', 'developer-instructions'],
      ['developer', 'managed-instructions'],
      ['user', 'environment'],
    ]);
    const told = context(live).map((texts) => texts.filter((text) => text.startsWith('<managed_')));
    expect(told).toEqual([
      [tagged('managed_developer_instructions', 'Stay inside.')],
      [],
      [
        tagged(
          'managed_developer_instructions',
          'These take the place of the managed instructions given before.\n\nStay here.',
        ),
      ],
      [
        tagged(
          'managed_developer_instructions',
          'The managed instructions given before no longer hold; there are none now.',
        ),
      ],
    ]);
  });
});

describe('the mode', () => {
  const pair = (text: string) => `<collaboration_mode>${text}</collaboration_mode>`;

  const ended = '\nThe mode described earlier has ended, and what it asked for no longer holds.\n';
  it('that is left is told as ended, once', async () => {
    const live = await LiveThread.in(yes);
    await live.open();
    const asked = ['Plan it.', 'Plan it.', undefined, undefined];
    for (const [index, instructions] of asked.entries()) {
      const mode =
        instructions === undefined ? ({ mode: 'default' } as const) : ({ mode: 'plan', instructions } as const);
      await live.thread.overrideTurnContext({ collaboration: mode });
      await live.turn(`turn ${index}`);
    }
    expect(context(live).map((texts) => texts.filter((text) => text.startsWith('<collaboration')))).toEqual([
      [expect.stringContaining('Plan it.')],
      [],
      [pair(ended)],
      [],
    ]);
  });

  it('of a model that wants no guidance silences the client’s, also when the client’s stood before', async () => {
    const live = await LiveThread.in(yes, 'model_catalog_json = "models.json"');
    const models = [{ slug: 'quiet', model_messages: { collaboration_modes: { default: '', plan: '' } } }];
    writeFileSync(join(live.place.home, 'models.json'), JSON.stringify({ models }));
    await live.open();
    await live.thread.overrideTurnContext({ collaboration: { mode: 'plan', instructions: 'Plan it.' } });
    await live.turn('one');
    await live.thread.overrideTurnContext({ model: 'quiet' });
    await live.turn('two');
    await live.turn('three');
    expect(context(live).map((texts) => texts.filter((text) => text.startsWith('<collaboration')))).toEqual([
      [expect.stringContaining('Plan it.')],
      [pair(ended)],
      [],
    ]);
  });

  it('stands when the model changes and its guidance does not', async () => {
    const live = await LiveThread.in(yes);
    await live.open();
    await live.thread.overrideTurnContext({ collaboration: { mode: 'plan' } });
    await live.turn('one');
    await live.thread.overrideTurnContext({ model: 'gpt-5.4' });
    await live.turn('two');
    expect(live.layout(1).slice(1)).toEqual([
      ['developer', 'model-switch'],
      ['user', 'two'],
    ]);
  });
});

describe('the manner of speech', () => {
  it('is told, changed and taken back', async () => {
    const live = await LiveThread.in(yes);
    await live.open();
    for (const personality of ['friendly', 'pragmatic', null, null] as const) {
      await live.thread.overrideTurnContext({ personality });
      await live.turn('go');
    }
    expect(context(live).map((texts) => texts.filter((text) => text.startsWith('<personality')))).toEqual([
      [expect.stringContaining('Manner of speech: friendly.')],
      [expect.stringContaining('Manner of speech: pragmatic.')],
      [expect.stringContaining('no longer holds')],
      [],
    ]);
  });
});

describe('saved approvals', () => {
  const permissions: PermissionsText = {
    mode: 'read-only',
    network: 'restricted',
    approval: 'on-request',
    canAsk: false,
    writableRoots: [],
    readOnlyPaths: [],
    keptGlobs: [],
    sockets: [],
    readablePaths: [],
    deniedGlobs: [],
    ownPaths: [],
    deniedPaths: [],
    readsEverything: true,
    missingRoots: [],
    approvedPrefixes: [['git', 'log']],
    held: noRestrictedPrefixes,
  };
  const kinds = (now: PermissionsText) =>
    permissionsSection.change(permissionsSection.stored(permissions), now).map(({ kind, text }) => [kind, text]);

  it('that are new are told alone; when one goes, everything is told', () => {
    const more = {
      ...permissions,
      approvedPrefixes: [
        ['git', 'log'],
        ['npm', 'test'],
      ],
    };
    expect(kinds(more)).toEqual([['approved-prefixes', expect.stringMatching(/^(?!.*"git").*"npm", ?"test"/s)]]);
    const fewer = { ...permissions, approvedPrefixes: [] };
    expect(kinds(fewer)).toEqual([['permissions', expect.not.stringContaining('git')]]);
    const held = { ...permissions, held: { forbidden: [['npm', 'publish']], asked: [] } };
    expect(kinds(held)).toEqual([['permissions', expect.stringContaining('- ["npm", "publish"]')]]);
  });

  it('of an earlier version that told rules about hosts by themselves are told anew', () => {
    const stored = { ...permissionsSection.stored(permissions), capstan_network_rules: ['allow example.org'] };
    expect(permissionsSection.read(stored, undefined)).toBeUndefined();
  });
});

describe('a spoken conversation', () => {
  it('is told when it begins and ends; another text while it runs changes nothing', () => {
    const on = { active: true, startInstructions: 'Speak.' };
    const kinds = (before: Parameters<typeof realtimeSection.change>[0], now: typeof on) =>
      realtimeSection.change(before, now).map(({ kind }) => kind);
    expect(kinds({ active: true }, { ...on, startInstructions: 'Sing.' })).toEqual([]);
    expect(kinds({ active: false }, on)).toEqual(['realtime-start']);
    expect(kinds({ active: true }, { ...on, active: false })).toEqual(['realtime-end']);
  });

  it('of which nothing is proven is told as it is now, whichever it was', () => {
    const tell = (active: boolean) => realtimeSection.change(unknownState, { active }).map(({ kind }) => kind);
    expect([tell(true), tell(false)]).toEqual([['realtime-start'], ['realtime-end']]);
  });
});

it('a record that a section cannot read leaves nothing proven', () => {
  const garbage = [
    7,
    true,
    [],
    [null],
    { text: 7 },
    { instructions: 7 },
    { environments: 7 },
    { model: [] },
    { active: 'yes' },
  ];
  const readable = worldSections.flatMap(({ id, read }) =>
    garbage.flatMap((stored) => (read(stored as never, undefined) === undefined ? [] : [[id, stored]])),
  );
  // A guidance that holds or not is stored as just that, groups of tools by their names, and a document without text is
  // one that says nothing.
  expect(readable).toEqual([
    ['apps_instructions', true],
    ['plugins_instructions', true],
    ['tools', { active: 'yes' }],
    ...garbage.slice(5).map((stored) => ['agents_md', stored]),
  ]);
});
