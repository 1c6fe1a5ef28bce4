import { isShell, programName } from '../commands/command-words.ts';
import { isCoverable } from '../commands/shell-builtins.ts';
import { wrapperNames } from '../commands/wrapper-programs.ts';

/**
 * Programs that run a script, besides shells. Their prefix must name it: the file, the program of awk. Options that stand
 * in front of it must be harmless ones, because others take code, or a word that only looks like the script.
 */
const interpreters = setOf(
  `cmd powershell pwsh python pythonw pypy py pyw ipython node nodejs bun deno tsx ts-node julia lua luajit perl ruby irb php
  r rscript osascript tclsh wish expect guile sbcl awk gawk mawk nawk sed java jshell jjs gjs qjs elixir iex erl
  escript swift kotlin groovy scala clojure ghci runghc ocaml racket mono swipl gnuplot octave maxima gp dotnet m4`,
);
const harmlessOption = /^(?:-\d[\d.]*|-[uBwx]|--no-warnings|--login|-y|--yes|--no-pager)$/;
/** Options whose next word is the script, with the name of the program. */
const scriptOption = /^(?:py\S* -m|(?:powershell|pwsh) -(?:File|f)|java -jar)$/;

/** Programs that run the one that follows, perhaps behind a number or variables: that one must do. */
const seenThrough = setOf(
  `env sudo doas pkexec nohup timeout nice ionice time command builtin exec stdbuf setsid fakeroot busybox toybox xargs npx
  bunx uvx pnpx`,
);
const wrapperWord = /^(?:[\d.]+[smhd]?|-y|--yes|[A-Za-z_]\w*=.*)$/s;

/** Programs with too many ways to run another one, besides wrappers: editors and clients with commands of their own, too. */
const never = setOf(
  `fd newgrp run-parts start-stop-daemon tmux screen at batch crontab socat nix-shell direnv hyperfine entr man ip vi vim nvim view
  vimdiff ex ed emacs emacsclient sqlite3 psql mysql gosu su-exec tini dumb-init choom torsocks proot concurrently dotenv
  cross-env capstan codex`,
);
/** Programs that run another one, or write any file, by an option or their last word. */
const writing = setOf('tar bsdtar rsync scp sftp sort zip cp mv ln dd tee install curl wget wget2 aria2c');
/** The loader of programs has the name of its version. */
const loader = /^ld(?:-linux|-musl|\.so|64)/;

/** Subcommands that run what follows. */
const running = setOf('run run-script exec x dlx node runner');
const withRunning = setOf(
  `npm pnpm yarn bun uv pipx poetry pdm hatch pipenv rye conda bundle mise go deno pyenv rbenv nodenv asdf volta fnm nvm
  rustup nix bazel composer stack cabal mix rails`,
);

/** Subcommands that run any program: in a container, or as code of their own. */
const open = setOf('docker podman nerdctl kubectl deno');
const openSubcommands = setOf('run exec eval');

/** Subcommands of git that run a program which they are given, alone or behind the word that says so. */
const gitNever = setOf('rebase filter-branch difftool hook for-each-repo remote-ext send-email');
const gitRunning: Readonly<Record<string, RegExp>> = {
  submodule: /^foreach$/,
  bisect: /^(?:run|visualize|view)$/,
  // A setting may name a program.
  config: /^(?!user\.)/,
};

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(/\s+/));
}

/**
 * Whether a rule that allows everything that begins so would allow anything: the prefix ends before the first word that
 * says what is run.
 */
export function isBannedPrefix(prefix: readonly string[]): boolean {
  const [path = '', ...words] = prefix;
  const program = programName(path);
  // Longer ones are no interpreters, and a pattern would take long over them.
  const name = program.length > 40 ? program : program.replace(version, '');
  const [first] = words;
  if (!isCoverable(prefix)) return true;
  if (program === '' || never.has(program) || never.has(name) || writing.has(name) || loader.test(program)) return true;
  if (seenThrough.has(name)) return isBannedInner(behindOptions(words, wrapperWord));
  if (withRunning.has(name)) {
    const [subcommand, ...rest] = first === 'tool' ? words.slice(1) : words;
    // An option in front may take the next word, so which subcommand it is is not known.
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

/** Options of a wrapper may take the next word, so what is run is not known. No honest prefix is as long as that. */
function isBannedInner(inner: readonly string[]): boolean {
  return inner.length > 500 || isOption(inner[0]) || isBannedPrefix(inner);
}

/** The words behind those at the beginning that change nothing. */
function behindOptions(words: readonly string[], passed: RegExp): readonly string[] {
  const at = words.findIndex((word) => !passed.test(word));
  return at < 0 ? [] : words.slice(at);
}

/** An option, or nothing at all. */
function isOption(word: string | undefined): boolean {
  return word === undefined || /^[-+]/.test(word) || /^\/[a-z]$/i.test(word);
}
