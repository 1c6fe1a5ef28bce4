import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { inputOf, type Scene, scene, textsOf } from '../harness/scene.ts';
import { openIn, type TuiScene } from './tui-scene.ts';

const [enter, down] = ['\r', '\u001B[B'];
const done = (text: string) => answer({ items: [say(text)], deltas: true });

/** Two threads of this folder and one of another. */
async function threeThreads(
  script: readonly ReturnType<typeof done>[] = [],
): Promise<Scene & { readonly other: string }> {
  const built = await scene([done('One.'), done('Two.'), done('Three.'), ...script]);
  const { place } = built;
  const other = join(place.root, 'elsewhere');
  mkdirSync(other);
  await place.run('exec', '--skip-git-repo-check', 'Fix the parser');
  await place.run('exec', '--skip-git-repo-check', 'Write the docs');
  await place.run('exec', '--skip-git-repo-check', '-C', other, 'Look around');
  return { ...built, other };
}

async function press(terminal: TuiScene['terminal'], ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    terminal.type(key);
    await new Promise((later) => setTimeout(later, 40));
  }
}

it.each([
  ['reviewed', 'Reviewed', ''],
  ['ask', 'Ask', 'approvals_reviewer = "auto_review"'],
])('a conversation keeps who answers its questions: /permissions %s', async (name, shown, config) => {
  const built = await scene([done('One.')], config);
  const first = await openIn(built, { kind: 'new' }, 120);
  await first.sees('Context');
  first.say(`/permissions ${name}`);
  await first.sees(`Permissions: ${shown}.`);
  first.say('Go.');
  await first.sees(/One\.\n\n {2}Worked/);
  await first.leave();
  const second = await openIn(built, { kind: 'last' }, 120);
  expect(await second.sees(new RegExp(`Context.* ${shown}$`, 'm'))).toBeDefined();
});

describe('earlier conversations', () => {
  it('are searched, looked at and resumed from a list, with what each was run with', async () => {
    const built = await threeThreads([done('Four.')]);
    const { terminal, sees, say: tell } = await openIn(built, { kind: 'pick' });
    const list = (await sees('Fix the parser')).join('\n');
    expect(list).toMatch(/› Write the docs .*\n {4}gpt-5\.5 medium · workspace-write, on-request · 1 turn · main · /);
    expect(list).not.toContain('Look around');
    await press(terminal, ...'parser');
    await sees(/\n› Fix the parser[\s\S]{0,200}\n\n/);
    expect((await terminal.screen()).join('\n')).not.toContain('Write the docs');
    await press(terminal, '\u0014');
    const preview = (await sees('• One.')).join('\n');
    expect(preview).toMatch(/^Fix the parser {2}100 %$/m);
    expect(preview).toMatch(/^ {2}Worked for \S+ · \d\d:\d\d$/m);
    await press(terminal, 'q');
    await sees('› parser');
    await press(terminal, enter);
    await sees('• One.');
    tell('Go on.');
    await sees('• Four.');
    expect(textsOf(inputOf(built.model, 3))).toContain('Fix the parser');
  });

  it.each(['resume', 'fork'] as const)('Esc in the list of `capstan %s` opens none', async (does) => {
    const built = await threeThreads();
    const before = built.place.rollouts();
    const { terminal, sees, ended } = await openIn(built, { kind: 'pick' }, 80, { does, anyFolder: true });
    await sees(/Look around[^]*esc leaves/);
    await press(terminal, '\u0014');
    await sees(/\d+ %/);
    // It closes the preview alone.
    await press(terminal, '\u001B');
    await sees('esc leaves');
    await press(terminal, '\u001B');
    expect(await ended).toBe(0);
    expect((await terminal.all()).filter((row) => row !== '')).toEqual(['$ echo before', 'before']);
    expect(built.place.rollouts()).toEqual(before);
  });

  it('Esc at a question about a conversation of the list goes back to the list', async () => {
    const built = await threeThreads();
    const { terminal, sees, ended } = await openIn(built, { kind: 'pick' }, 80, { anyFolder: true });
    await sees('Look around');
    await press(terminal, ...'around');
    await sees(/\n› Look around[\s\S]{0,200}\n\n/);
    await press(terminal, enter);
    await sees('belongs to another folder');
    await press(terminal, '\u001B');
    await sees('Resume a conversation');
    await press(terminal, '\u0003');
    expect(await ended).toBe(0);
  });

  it('of another folder continue where the user says', async () => {
    const built = await threeThreads();
    const { terminal, sees, say: tell } = await openIn(built, { kind: 'new' });
    await sees('Context 100% left');
    tell('/resume');
    await sees('Write the docs');
    await press(terminal, '\t', '\u001B[C', '\t', '\t', '\t');
    await sees('Look around');
    await press(terminal, enter);
    expect((await sees('belongs to another folder')).join('\n')).toMatch(/1\. Continue it in \S*elsewhere/);
    await press(terminal, down, enter);
    await sees('• Three.');
    const rows = (await sees(/via scripted · \S*workspace[\s\S]*Look around/)).join('\n');
    expect(rows).not.toContain('· /elsewhere');
  });

  it('of another folder are asked about once, if the user says so; the list opens as it was left', async () => {
    const built = await threeThreads();
    const config = (): string => readFileSync(join(built.place.home, 'config.toml'), 'utf8');
    const { terminal, sees, say: tell } = await openIn(built, { kind: 'new' });
    await sees('Context 100% left');
    const list = async (): Promise<void> => {
      tell('/resume');
      await sees('Resume a conversation');
      await press(terminal, '\t', '\u001B[C', '\t', '\t', '\t');
    };
    await list();
    await sees('Look around');
    await press(terminal, '\u000F', enter);
    await sees('belongs to another folder');
    await press(terminal, '4');
    await sees('• Three.');
    expect(config()).toMatch(/\[tui\][^]*session_picker_view = "dense"/);
    expect(config()).toMatch(/\[tui\][^]*resume_cwd = "current"/);
    tell('/new');
    await sees(/• Three\.[^]*>_ Capstan/);
    await list();
    await press(terminal, ...'around');
    await sees('› Look around');
    expect((await terminal.screen()).join('\n')).not.toContain('1 turn');
    await press(terminal, enter);
    const rows = (await sees(/Three\.[^]*Capstan[^]*Three\./)).join('\n');
    expect(rows.match(/via scripted · \S*workspace/g)?.length).toBeGreaterThan(2);
  });

  it('whose folder is gone continue here, or not at all', async () => {
    const built = await threeThreads();
    const { terminal, sees, say: tell } = await openIn(built, { kind: 'new' });
    await sees('Context 100% left');
    rmSync(built.other, { recursive: true });
    tell('/resume');
    await sees('Write the docs');
    await press(terminal, '\t', '\u001B[C', '\t', '\t', '\t');
    await sees('Look around');
    await press(terminal, enter);
    await sees('The folder of this conversation is not there any more.');
    await press(terminal, enter);
    expect((await sees('• Three.')).join('\n')).toContain('Look around');
  });

  it('are forked by name and on the command line, and stay as they are', async () => {
    const built = await threeThreads([done('Four.'), done('Five.')]);
    const { sees, say: tell, leave } = await openIn(built, { kind: 'last' }, 80, { does: 'fork' });
    await sees('• Two.');
    tell('Other way.');
    await sees(/• Four\.[\s\S]*Worked for/);
    tell('/fork Second try');
    await sees('This is a fork.');
    tell('Once more.');
    await sees('• Five.');
    await leave();
    expect(
      textsOf(inputOf(built.model, 4)).filter((text) => /^(?:Write the docs|Other way|Once more)/.test(String(text))),
    ).toEqual(['Write the docs', 'Other way.', 'Once more.']);
    const { stdout } = await built.place.run('threads', 'list', '--json');
    const threads = (JSON.parse(stdout) as { threads: { name?: string; turns: number }[] }).threads;
    expect(threads.map(({ name, turns }) => [name, turns])).toEqual([
      ['Second try', 3],
      [undefined, 2],
      [undefined, 1],
      [undefined, 1],
      [undefined, 1],
    ]);
  });
});
