// @module-tag attack
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';

const done = answer({ items: [say('Done.')] });
const denies = `
default_permissions = "d"
[permissions.d]
extends = ":workspace"
[permissions.d.filesystem.":workspace_roots"]
"**/*.env" = "deny"
`;

/** As the user, before the turn. */
const prepare = (place: Place, script: string): void =>
  void execFileSync('bash', ['-ec', script], { cwd: place.workspace, stdio: 'pipe' });

async function outputs(config: string, prepared: string, ...commands: readonly string[]) {
  const { model, place } = await scene(
    ({ index }) =>
      index < commands.length ? answer({ items: [callTool('exec_command', { cmd: commands[index]! })] }) : done,
    config,
  );
  prepare(place, prepared);
  const { code, stderr, events } = await place.run(
    'exec',
    '--json',
    ...(config === '' ? ['-s', 'workspace-write'] : []),
    'go',
  );
  expect(code, stderr).toBe(0);
  const said = textsOf(inputOf(model, commands.length).filter(({ output }) => output !== undefined));
  return { place, said: said.map(String), stderr, events };
}

/** Some file systems have no such names. */
const hasOddNames =
  spawnSync('bash', ['-c', `d=$(mktemp -d); touch "$d/$(printf 'caf\\xe9')"; r=$?; rm -rf "$d"; exit $r`]).status === 0;

describe.runIf(process.platform === 'linux' && hasOddNames)('names that are not UTF-8', () => {
  it('are covered by the patterns that deny reading', async () => {
    const { said } = await outputs(
      denies,
      `mkdir -p ok "$(printf 'caf\\xe9')/in" beside; ln -s "$(printf 'caf\\xe9')" link; ln -s ok "$(printf 'l\\xef')"
       echo SECRET | tee ok/x.env "$(printf 'caf\\xe9')/x.env" "$(printf 'caf\\xe9')/in/y.env" "$(printf 'k\\xe9y').env"
       echo OPEN | tee "$(printf 'caf\\xe9')/x.txt" "$(printf 'r\\xe9ad').txt"; mkdir "$(printf 'f\\xe9').env" "$(printf 'empty\\xe9').env"; echo SECRET > "$(echo f*.env)/z"`,
      'cat ok/x.env caf*/x.env caf*/in/y.env k*.env link/x.env l?/x.env f*.env/z; cat caf*/x.txt r*.txt; cd caf* && echo new > new && cat new; cd ..; mv caf* moved; cat moved/x.env; ls empty*.env && echo LISTED',
    );
    expect(said[0]).not.toMatch(/SECRET|LISTED/);
    expect(said[0]).toContain('OPEN\nOPEN\nnew\n');
  });

  it('hide no repository from the protection, nor from the report', async () => {
    const { said, place, stderr, events } = await outputs(
      '',
      `git init -q .; mkdir "$(printf 'caf\\xe9')" t; git init -q caf*; git init -q t
       mkdir "$(printf 'st\\xe9')" gf; mv t/.git "$(printf 'st\\xe9')/g"; printf 'gitdir: ../st\\xe9/g\\n' > gf/.git
       mkdir -p ignored/"$(printf 'd\\xe9ep')"; git init -q ignored/d*; echo ignored > .gitignore; git init -q --bare "$(printf 'bar\\xe9')"`,
      `for f in caf*/.git/config st*/g/config gf/.git ignored/d*/.git/config; do (echo >> "$f") 2>/dev/null && echo "WROTE $f"; done
       mv caf* x 2>/dev/null && echo MOVED; (cd caf* && touch file && echo made); git init -q "./$(printf 'n\\xe9w')" && echo new`,
    );
    expect(said[0]).not.toMatch(/WROTE|MOVED/);
    expect(said[0]).toMatch(/made\nnew\n/);
    const recorded = JSON.stringify(place.lines());
    expect(recorded).toContain('<new_repositories>');
    expect(recorded).not.toMatch(/[^\\]\\ud[c-f]/i);
    expect(`${stderr}${JSON.stringify(events)}`).toMatch(/New git repositories appeared[^]*n\\+udce9w/);
    expect(spawnSync('bash', ['-c', 'git -C caf* status'], { cwd: place.workspace }).status).toBe(0);
  });

  it(
    'are reached by no patch through a link, and none is made in their place',
    { tags: 'representative' },
    async () => {
      const adding = (path: string): string =>
        `apply_patch <<'E'\n*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch\nE\n`;
      const { said, place } = await outputs(
        '',
        `mkdir "$(printf 'caf\\xe9')"; git init -q caf*; ln -s "$(printf 'caf\\xe9')" link`,
        adding('link/.git/hooks/pre-commit'),
        adding('link/new'),
      );
      expect(said[0]).toContain('patch rejected');
      expect(said[1]).toContain('not UTF-8');
      expect(readdirSync(place.workspace, 'latin1').toSorted()).toEqual(['.git', 'caf\xE9', 'link']);
      expect(
        spawnSync('bash', ['-c', 'ls caf*/new caf*/.git/hooks/pre-commit'], { cwd: place.workspace }).stdout.length,
      ).toBe(0);
    },
  );
});
