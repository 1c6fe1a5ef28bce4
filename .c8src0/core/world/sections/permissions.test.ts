import { describe, expect, it, test } from 'vitest';
import type { GranularApproval } from '../../../protocol/permissions.ts';
import { renderFragment } from '../../fragments/text/define-fragment.ts';
import { permissionsFragment, type PermissionsText } from './permissions.ts';
import { noRestrictedPrefixes } from '../../policy/rules/rule-set.ts';

const plain: PermissionsText = {
  mode: 'workspace-write',
  network: 'restricted',
  approval: 'on-request',
  canAsk: true,
  writableRoots: ['/repo'],
  readOnlyPaths: [],
  keptGlobs: [],
  sockets: [],
  readablePaths: [],
  deniedGlobs: [],
  ownPaths: [],
  deniedPaths: [],
  readsEverything: true,
  missingRoots: [],
  approvedPrefixes: [],
  held: noRestrictedPrefixes,
};

function textOf(more: Partial<PermissionsText>): string {
  return renderFragment(permissionsFragment, { ...plain, ...more }).text;
}

function granular(on: Partial<GranularApproval['granular']>): GranularApproval {
  const off = { sandbox_approval: false, rules: false, skill_approval: false };
  return { granular: { ...off, request_permissions: false, mcp_elicitations: false, ...on } };
}

describe('approved commands', () => {
  const approvedPrefixes = [['npm', 'test']];
  const unless =
    'Where sandboxed commands can change neither the programs that a script starts nor its git repository, it runs';
  test.each([
    ['leave the sandbox', {}, `${unless} outside`],
    ['keep a sandbox where reads are denied', { deniedPaths: ['/x'] }, `${unless} in a sandbox that only denies`],
    ['also by a pattern', { deniedGlobs: ['/x/*'] }, `${unless} in a sandbox that only denies`],
    [
      'have none to leave',
      { mode: 'danger-full-access' },
      'A script is neither asked about nor refused, even if it destroys, if each',
    ],
  ] as const)('%s', (_, more, title) => expect(textOf({ ...more, approvedPrefixes })).toContain(`\n${title}`));

  it('come with how a script is read, once, also where the user cannot be asked', () => {
    for (const canAsk of [true, false]) {
      const text = textOf({ canAsk, approvedPrefixes });
      expect(text.split('How a script is read:')).toHaveLength(2);
    }
    expect(textOf({ canAsk: false })).not.toContain('How a script is read:');
  });
});

describe('commands that rules hold back', () => {
  const held = {
    forbidden: [
      ['rm', ['-rf', '-fr']],
      ['npm', 'publish'],
    ],
    asked: [['git', 'push']],
  };
  const refusing = '\nRules refuse commands that begin with one of these, also inside a script:\n';
  const asking = '\nRules ask the user before commands that begin with one of these, also inside a script:\n';

  it('are refused, or asked about where that kind of question is', () => {
    const lists = `${refusing}- ["npm", "publish"]\n- ["rm", ["-rf", "-fr"]]${asking}- ["git", "push"]\n`;
    expect(textOf({ held })).toContain(lists);
    expect(textOf({ held, mode: 'danger-full-access' })).toContain(lists);
    expect(textOf({ held, approval: granular({ rules: true }) })).toContain(lists);
    const all = `${refusing}- ["git", "push"]\n- ["npm", "publish"]\n- ["rm", ["-rf", "-fr"]]\n`;
    for (const more of [{ canAsk: false }, { approval: granular({ sandbox_approval: true }) }]) {
      expect(textOf({ held, ...more })).toContain(all);
      expect(textOf({ held, ...more })).not.toContain(asking);
    }
    expect(textOf({})).not.toContain('\nRules ');
  });

  it('are listed up to a limit, and the text counts the rest', () => {
    const many = Array.from({ length: 70 }, (_, index) => ['git', `command-${index}`]);
    const text = textOf({ held: { forbidden: many, asked: [] } });
    expect(text.split('\n- [')).toHaveLength(51);
    expect(text).toContain('\n… and 20 more that are not listed here\n');
  });
});

describe('lists of hosts', () => {
  const lists = { allow: ['a.org'], deny: [], local: false, methods: 'any' } as const;
  const listed = { network: 'enabled', lists } as const;
  const how = 'A connection to any other host waits until the user has allowed or declined it';

  it('are no open network, and say how one more host is asked for', () => {
    expect(textOf(listed)).toContain('\nNetwork: limited. Commands reach the hosts listed here');
    expect(textOf(listed)).toContain(how);
    for (const text of [textOf({ ...listed, canAsk: false }), textOf({ ...listed, approval: 'never' })]) {
      expect(text).not.toContain(how);
      expect(text).toContain('Connections to any other host fail.');
    }
    expect(textOf({ ...listed, approval: granular({ rules: true }) })).not.toContain(how);
  });

  it('say what a rule asks about, where the question reaches the user, and else that it fails', () => {
    const asked = { ...listed, lists: { ...lists, deny: ['c.org'], ask: ['a.org'] } };
    expect(textOf(asked)).toContain('\nAsked about, because of a rule: "a.org"\nBut not: "c.org"\n');
    const rulesAlone = textOf({ ...asked, approval: granular({ rules: true }) });
    expect(rulesAlone).toContain('Connections to any other host fail.');
    expect(rulesAlone).toContain('\nAsked about, because');
    expect(textOf({ ...asked, canAsk: false })).toContain('\nBut not: "c.org", "a.org"\n');
  });

  it('say that own servers answer, and with local addresses also those of this machine', () => {
    const own = 'Servers that a command starts itself answer on its own loopback, whatever the lists say.';
    const machine = 'servers of this machine also answer on the loopback of a command.';
    const closed = 'Connections to this machine and to private networks fail';
    for (const local of [true, false]) {
      const text = textOf({ ...listed, canAsk: false, lists: { ...lists, local } });
      expect([text.includes(own), text.includes(machine), text.includes(closed)]).toEqual([true, local, !local]);
    }
  });

  it('say which hosts answers opened', () => {
    const line = 'Granted for this session, beyond the limits of the sandbox: connecting to: "b.org:443".';
    expect(textOf({ ...listed, granted: { session: { hosts: ['b.org:443'] } } })).toContain(line);
  });

  it('for reading alone let no HTTPS through', () => {
    expect(textOf({ ...listed, lists: { ...lists, methods: 'reading' } })).toContain('HTTPS fails.');
    expect(textOf(listed)).not.toContain('HTTPS');
  });
});

describe('what is not readable', () => {
  it('by pattern alone is a sentence of its own', () => {
    const deniedGlobs = ['/repo/**/*.env'];
    expect(textOf({ deniedGlobs })).toContain('\nNothing that matches is readable, and no request can change that: "/');
    expect(textOf({ deniedGlobs, deniedPaths: ['/x'] })).toContain('\nNor is anything that matches: "/');
  });

  it('leaves "inside them" right behind the writable roots', () => {
    const text = textOf({ readablePaths: ['/usr'], readOnlyPaths: ['/repo/.git'], readsEverything: false });
    expect(text).toMatch(/\nWritable roots: .*\nRead-only inside them, .*\nReadable: "\/usr"\n/);
  });
});

describe('Landlock in the place of the usual sandbox', () => {
  const landlock = { unprotected: ['/repo/.git'], unprotectedNames: ['.git'], closedRoots: ['/tmp'] };

  it('names all that it does not hold', () => {
    const text = textOf({ landlock, ownPaths: ['/home/auth.json'] });
    for (const line of [
      'Landlock enforces this in place of the usual sandbox. ',
      'Not protected from commands, and not to be changed unless the user asks for it: "/repo/.git"\n',
      'The same holds for these names at any depth of writable roots: ".git"\n',
      'Modes and times of files outside the writable roots are not protected either. ',
      'Temporary folders that are not writable, because they hold files that must stay as they are: "/tmp"\n',
      'A file that appears beside one that is not readable can be read by the next command, ',
    ]) {
      expect(text).toContain(`\n${line}`);
    }
    expect(text).toContain('it cannot start servers either');
    expect(textOf({})).not.toContain('Landlock');
  });

  it('loses less where nothing is written and nothing is hidden', () => {
    const nothing = { unprotected: [], unprotectedNames: [], closedRoots: [] };
    const text = textOf({ landlock: nothing, mode: 'read-only', writableRoots: [], network: 'enabled' });
    expect(text).toContain('\nLandlock enforces this');
    expect(text).not.toMatch(/protected|servers|beside one/);
  });
});

describe('questions', () => {
  const patches = 'A patch to files that commands cannot change asks by itself.';

  it('about patches outside the roots are told where they are asked', () => {
    expect(textOf({})).toContain(patches);
    expect(textOf({ mode: 'read-only' })).toContain(patches);
    for (const more of [{ canAsk: false }, { approval: 'untrusted' }, { mode: 'danger-full-access' }] as const) {
      expect(textOf(more)).not.toContain(patches);
    }
  });

  it('are asked for what the mode and the network lack', () => {
    expect(textOf({})).toContain('it needs the network, writes outside the writable roots, or opens a window.');
    expect(textOf({ mode: 'read-only', writableRoots: [] })).toContain('it needs the network, writes files, or opens');
    const download = 'May I download the dependencies';
    expect(textOf({})).toContain(download);
    expect(textOf({ network: 'enabled' })).not.toContain(download);
  });

  it('under untrusted say where a yes leads', () => {
    const inside = 'a yes lets it run inside the sandbox.';
    expect(textOf({ approval: 'untrusted' })).toContain(inside);
    expect(textOf({ approval: 'untrusted', mode: 'danger-full-access' })).not.toContain(inside);
  });

  it('without a sandbox are about what destroys, unless they are turned off', () => {
    const asked = 'Before a command that removes files by force or destroys what may not come back, the user is asked.';
    const refused = 'Refused without a question: commands that remove files by force or destroy what may not come back';
    const mode = 'danger-full-access';
    expect(textOf({ mode })).toContain(asked);
    const off = textOf({ mode, approval: granular({ rules: true }) });
    expect([off.includes(asked), off.includes(refused)]).toEqual([false, true]);
  });

  it('that are all turned off are never asked', () => {
    expect(textOf({ canAsk: false, approval: granular({}) })).toContain('The user cannot be asked. ');
    expect(textOf({ canAsk: false, approval: granular({ rules: true }) })).toContain('The user cannot be asked yet. ');
  });

  it('whose answers hold once save no rule', () => {
    expect(textOf({})).toContain('`prefix_rule`');
    expect(textOf({ answersOnce: true })).not.toContain('`prefix_rule`');
  });
});
