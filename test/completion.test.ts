import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { optionNames } from '../src/surfaces/command-words.ts';
import { threadsForms } from '../src/surfaces/threads/run-threads.ts';
import { scene } from './harness/scene.ts';

/** What bash offers behind these words. */
function offered(script: string, ...words: readonly string[]): readonly string[] {
  const run = 'eval "$SCRIPT"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _capstan; printf "%s\\n" "${COMPREPLY[@]}"';
  const env = { ...process.env, SCRIPT: script };
  const text = execFileSync('bash', ['-c', run, 'bash', 'capstan', ...words], { env, encoding: 'utf8' });
  return text.trim().split('\n');
}

it('bash offers every command of threads and the options of each', async () => {
  const { place } = await scene([]);
  const { stdout } = await place.run('completion', 'bash');
  const forms = await threadsForms();
  expect(offered(stdout, 'threads', '')).toEqual([...forms.keys(), '--help']);
  expect(offered(stdout, 'threads', 'rol')).toEqual(['rollback']);
  for (const [name, form] of forms) {
    expect([name, ...offered(stdout, 'threads', name, '')]).toEqual([name, ...optionNames(form)]);
  }
  expect(offered(stdout, 'replay', '--p')).toEqual(['--print']);
  expect(offered(stdout, 'exec', '--sandbox', 'read')).toEqual(['read-only']);
  expect(offered(stdout, 'exec', 'f')).toEqual(['fork']);
  expect(offered(stdout, 'e', '--os')).toEqual(['--oss']);
  expect(offered(stdout, 'exec', '--oss', '--local-provider', '')).toEqual(['ollama', 'lmstudio']);
});

it('zsh and fish are told the same', async () => {
  const { place } = await scene([]);
  const [zsh, fish] = [await place.run('completion', 'zsh'), await place.run('completion', 'fish')];
  for (const [name, form] of await threadsForms()) {
    expect(zsh.stdout).toContain(
      `[[ $words[3] == ${name} ]] && { compadd -- ${optionNames(form).join(' ')}; return; }`,
    );
    for (const option of optionNames(form)) {
      const flag = option.startsWith('--') ? `-l ${option.slice(2)}` : `-s ${option.slice(1)}`;
      expect(fish.stdout).toContain(
        `complete -c capstan -n '__fish_seen_subcommand_from threads; and __fish_seen_subcommand_from ${name}' ${flag}\n`,
      );
    }
  }
});
