import { isShell, programName, wordSet } from '../commands/command-words.ts';
import { isCoverableByRule } from '../commands/shell-builtins.ts';
import { wrapperNames } from '../commands/wrapper-programs.ts';

/**
 * Programs besides shells that run a script. A rule's prefix must name the script: the file, or awk's program. Only
 * harmless options may precede it: others take code, or a word that only looks like the script.
 */
const interpreters = wordSet(
  `cmd powershell pwsh python pythonw pypy py pyw ipython node nodejs bun deno tsx ts-node julia lua luajit perl ruby irb php
  r rscript osascript tclsh wish expect guile sbcl awk gawk mawk nawk sed java jshell jjs gjs qjs elixir iex erl
  escript swift kotlin groovy scala clojure ghci runghc ocaml racket mono swipl gnuplot octave maxima gp dotnet m4`,
);
const harmlessOption = /^(?:-\d[\d.]*|-[uBwx]|--no-warnings|--login|-y|--yes|--no-pager)$/;
/** Options whose next word is the script. Each has its program's name before it. */
const scriptOption = /^(?:py\S* -m|(?:powershell|pwsh) -(?:File|f)|java -jar)$/;

/** Programs that run the program in their next words, perhaps after a number or variables: that program is judged. */
const seenThrough = wordSet(
  `env sudo doas pkexec nohup timeout nice ionice time command builtin exec stdbuf setsid fakeroot busybox toybox xargs npx
  bunx uvx pnpx`,
);
const wrapperWord = /^(?:[\d.]+[smhd]?|-y|--yes|[A-Za-z_]\w*=.*)$/s;

/** Programs with too many ways to run another, besides wrappers: also editors and clients with their own commands. */
const never = wordSet(
  `fd newgrp run-parts start-stop-daemon tmux screen at batch crontab socat nix-shell direnv hyperfine entr man ip vi vim nvim view
  vimdiff ex ed emacs emacsclient sqlite3 psql mysql gosu su-exec tini dumb-init choom torsocks proot concurrently dotenv
  cross-env capstan codex`,
);
/** Programs that run another one, or write any file, by an option or their last word. */
const writing = wordSet('tar bsdtar rsync scp sftp sort zip cp mv ln dd tee install curl wget wget2 aria2c');
/** The dynamic loader; its name contains its version. */
const loader = /^ld(?:-linux|-musl|\.so|64)/;
const running = wordSet('run run-script exec x dlx node runner');
const withRunning = wordSet(
  `npm pnpm yarn bun uv pipx poetry pdm hatch pipenv rye conda bundle mise go deno pyenv rbenv nodenv asdf volta fnm nvm
  rustup nix bazel composer stack cabal mix rails`,
);

/** Programs whose subcommands `run`, `exec` and `eval` start any program, in a container, or any code. */
const open = wordSet('docker podman nerdctl kubectl deno');
const openSubcommands = wordSet('run exec eval');
/** Git subcommands that run a given program: those of `gitNever` always, those of `gitRunning` if its word follows. */
const gitNever = wordSet('rebase filter-branch difftool hook for-each-repo remote-ext send-email');
const gitRunning: Readonly<Record<string, RegExp>> = {
  submodule: /^foreach$/,
  bisect: /^(?:run|visualize|view)$/,
  // A setting may name a program.
  config: /^(?!user\.)/,
};

/** True if a rule with this prefix would allow anything: it ends before the first word that says what is run. */
export function isBannedPrefix(prefix: readonly string[]): boolean {
  const [path = '', ...words] = prefix;
  const program = programName(path);
  // Longer names are no interpreters, and the pattern would be slow on them.
  const name = program.length > 40 ? program : program.replace(version, '');
  const [first] = words;
  if (!isCoverableByRule(prefix)) return true;
  if (program === '' || never.has(program) || never.has(name) || writing.has(name) || loader.test(program)) return true;
  if (seenThrough.has(name)) return isBannedInner(behindOptions(words, wrapperWord));
  if (withRunning.has(name)) {
    const [subcommand, ...rest] = first === 'tool' ? words.slice(1) : words;
    // An option before it may take the next word, so the subcommand is unknown.
    if (isOption(subcommand)) return true;
    if (running.has(subcommand ?? '')) return isBannedInner(behindOptions(rest, harmlessOption));
  }
  if (name === 'rm') return words.every(isOption);
  if (open.has(name)) {
    const subcommand = first === 'compose' ? words[1] : first;
    return isOption(subcommand) || openSubcommands.has(subcommand ?? '');
  }
  if (name === 'git') return isBannedGit(behindOptions(words, harmlessOption));
  if (!interpreters.has(program) && !interpreters.has(name) && !isShell(name))
    return wrapperNames.has(program) || wrapperNames.has(name);
  const isNext = first !== undefined && scriptOption.test(`${name} ${first}`);
  return isOption(isNext ? words[1] : behindOptions(words, harmlessOption)[0]);
}

/** At the end of a name: `python3.12`, `node-20`, `python3-dbg`. */
const version = /(?<=[a-z])(?:-?[\d.]+[a-z]?)?(?:-dbg)?$/;

function isBannedGit([subcommand, first]: readonly string[]): boolean {
  if (subcommand === undefined || isOption(subcommand) || gitNever.has(subcommand)) return true;
  const runs = Object.hasOwn(gitRunning, subcommand) ? gitRunning[subcommand] : undefined;
  return runs !== undefined && (isOption(first) || runs.test(first ?? ''));
}

/** Options of a wrapper may take the next word, so the program is unknown. No honest prefix is that long. */
const isBannedInner = (inner: readonly string[]): boolean =>
  inner.length > 500 || isOption(inner[0]) || isBannedPrefix(inner);

function behindOptions(words: readonly string[], passed: RegExp): readonly string[] {
  const at = words.findIndex((word) => !passed.test(word));
  return at < 0 ? [] : words.slice(at);
}

/** True for a missing word, too. */
const isOption = (word: string | undefined): boolean =>
  word === undefined || /^[-+]/.test(word) || /^\/[a-z]$/i.test(word);
