import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../../src/testing/index.ts';
import { scene } from '../../harness/scene.ts';
import { hook, prints, trustAll } from '../../hooks/hooked-scene.ts';
import { skillText } from '../../skills/skilled-scene.ts';
import { openIn, tuiScene } from '../tui-scene.ts';

const program = join(import.meta.dirname, '../../mcp/start-scripted-server.mjs');

describe('/mcp', () => {
  it('shows how servers stand, and with verbose their tools', async () => {
    const built = await scene([answer({ items: [say('Hi.')] })]);
    const { home } = built.place;
    const plan = { tools: [{ name: 'look', description: 'Looks.\nFar.', inputSchema: { type: 'object' } }] };
    writeFileSync(join(home, 'plan.json'), JSON.stringify(plan));
    const args = [program, join(home, 'plan.json'), join(home, 'server.log')];
    writeFileSync(
      join(home, 'config.toml'),
      `\n[mcp_servers.docs]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}\n` +
        `[mcp_servers.far]\nurl = "http://127.0.0.1:9/mcp"\nenabled = false\n[mcp_servers.near]\nurl = "http://127.0.0.1:9/mcp"\n`,
      { flag: 'a' },
    );
    const { sees, say: tell } = await openIn(built, { kind: 'new' });
    await sees('Context 100% left');
    tell('Hello.');
    await sees('• Hi.');
    tell('/mcp');
    const rows = (await sees('/mcp login NAME logs in')).join('\n');
    expect(rows).toMatch(
      /MCP servers\n {2}docs {2}1 tool\n {2}far {3}disabled\n {2}near {2}(?:tools not known yet|did not start: (?:bad port|no answer))/,
    );
    tell('/mcp verbose');
    expect((await sees('look: Looks.')).join('\n')).not.toContain('Far.');
    tell('/mcp login docs');
    await sees('is a program: there is no login to it.');
    tell('/mcp nonsense');
    await sees('Use /mcp, /mcp verbose');
  });
});

describe('/skills', () => {
  it('puts one into the draft, and switches it off in config.toml and on again', async () => {
    const built = await scene([]);
    const { home } = built.place;
    for (const name of ['brew', 'steep']) {
      const folder = join(home, 'skills', name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'SKILL.md'), skillText(name, `How to ${name}.`));
    }
    const before = readFileSync(join(home, 'config.toml'), 'utf8');
    const { sees, say: tell, terminal } = await openIn(built, { kind: 'new' });
    await sees('Context 100% left');
    tell('/skills');
    await sees(/☑ brew {3}How to brew\. \(user\)/);
    terminal.type('steep\u0013');
    await sees(/☐ steep +How to steep\. \(user, off\)/);
    expect(readFileSync(join(home, 'config.toml'), 'utf8')).toContain('steep/SKILL.md", enabled = false }');
    terminal.type('\u0013');
    await sees(/☑ steep/);
    expect(readFileSync(join(home, 'config.toml'), 'utf8').trim()).toBe(before.trim());
    terminal.type('\r');
    await sees('› $steep');
  });

  it('says where to put one if there are none', async () => {
    const { sees, say: tell, place } = await tuiScene([]);
    await sees('Context 100% left');
    tell('/skills');
    expect((await sees('There are no skills.')).join('').replaceAll(/\s/g, '')).toContain(`${place.home}/skills`);
  });
});

describe('/hooks', () => {
  it('a hook that takes long is shown while it runs, and only then', async () => {
    const built = await scene([answer({ items: [say('Hi.')] })]);
    const { home } = built.place;
    const slow = { hooks: { UserPromptSubmit: [hook('sleep 2.5')], Stop: [hook('true')] } };
    writeFileSync(join(home, 'hooks.json'), JSON.stringify(slow));
    trustAll(home);
    const { sees, say: tell } = await openIn(built, { kind: 'new' });
    await sees('Context 100% left');
    tell('Hello.');
    await sees('• Running UserPromptSubmit hook: sleep 2.5');
    expect((await sees('Worked for')).join('\n')).not.toMatch(/hook/);
  });

  it('says of a hook that was trusted just now that it does not run yet, also when the list is opened again', async () => {
    const built = await scene([]);
    const { home } = built.place;
    writeFileSync(join(home, 'hooks.json'), JSON.stringify({ hooks: { Stop: [hook('true')] } }));
    const { sees, say: tell, terminal } = await openIn(built, { kind: 'new' }, 120);
    await sees('waits for your decision');
    terminal.type('3');
    await sees('Context 100% left');
    tell('/hooks');
    await sees(/1\. Stop {2}not trusted: does not run/);
    terminal.type('t');
    await sees(/1\. Stop {2}trusted: runs when Capstan is started again/);
    terminal.type('\u001B');
    await sees('Ask Capstan to do anything');
    tell('/hooks');
    expect((await sees(/1\. Stop/)).join('\n')).toContain('trusted: runs when Capstan is started again');
  });

  it('shows them with what they did, trusts one, and switches one off', async () => {
    const built = await scene([answer({ items: [say('Hi.')] })]);
    const { home } = built.place;
    const words = prints({ systemMessage: 'Be kind.' });
    writeFileSync(join(home, 'hooks.json'), JSON.stringify({ hooks: { UserPromptSubmit: [hook(words)] } }));
    trustAll(home);
    const { sees, say: tell, terminal } = await openIn(built, { kind: 'new' }, 120);
    await sees('Context 100% left');
    tell('Hello.');
    await sees('• Hi.');
    tell('/hooks');
    await sees(/1\. UserPromptSubmit {2}trusted - ran 1 time - cat/);
    terminal.type('t');
    await sees('not trusted: runs until Capstan is started again - ran 1 time');
    terminal.type('t');
    await sees(/1\. UserPromptSubmit {2}trusted/);
    terminal.type(' ');
    await sees(/1\. UserPromptSubmit {2}off when Capstan is started again/);
    expect(readFileSync(join(home, 'config.toml'), 'utf8')).toMatch(/trusted_hash = .*\nenabled = false/);
    terminal.type('\r');
    const rows = (await sees('In this conversation:')).join('\n');
    expect(rows).toContain('warning: Be kind.');
    expect(rows).toMatch(/Time-out +\d+ s/);
  });
});
