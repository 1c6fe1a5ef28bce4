/**
 * Programs that run a script. Their prefix must name it: the file, the program of awk. Options that stand in front of
 * it must be harmless ones, because others take code, or a word that only looks like the script.
 */
const interpreters = setOf(
  'bash sh zsh dash fish ksh mksh ash rbash yash cmd powershell pwsh python pythonw pypy py pyw ipython node nodejs bun ' +
    'deno julia lua luajit perl ruby irb php Rscript osascript tclsh wish expect guile sbcl awk gawk mawk nawk sed source .',
);
const harmlessOption = /^(?:-\d[\d.]*|-[uBwx]|--no-warnings|--login|-y|--yes|--no-pager)$/;
/** Options whose next word is the script, with the name of the program. */
const scriptOption = /^(?:py\S* -m|(?:powershell|pwsh) -(?:File|f))$/;

/** Programs that run the one that follows, perhaps behind a number or variables. */
const wrappers = setOf(
  'env sudo doas pkexec nohup timeout nice ionice time command builtin exec stdbuf setsid fakeroot busybox toybox xargs ' +
    'npx bunx uvx pnpx',
);
const wrapperWord = /^(?:[\d.]+[smhd]?|-y|--yes|[A-Za-z_]\w*=.*)$/s;

/** Programs with too many ways to run another one. */
const never = setOf(
  'find fd eval trap ssh su runuser parallel watch flock script strace ltrace gdb chroot unshare nsenter setarch taskset ' +
    'chrt systemd-run proxychains',
);

/** Subcommands that run what follows. */
const running = setOf('run run-script exec x dlx');
const withRunning = setOf('npm pnpm yarn bun uv pipx poetry pdm hatch pipenv rye conda bundle mise go deno');

/** Subcommands that run any program: in a container, or as code of their own. */
const open = setOf('docker podman nerdctl kubectl deno');
const openSubcommands = setOf('run exec eval');

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(' '));
}

/**
 * Whether a rule that allows everything that begins so would allow anything: the prefix ends before the first word that
 * says what is run.
 */
export function isBannedPrefix(prefix: readonly string[]): boolean {
  const [path = '', ...words] = prefix;
  const program = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).replace(/\.exe$/i, '');
  // Longer ones are no interpreters, and a pattern would take long over them.
  const name = program.length > 40 ? program : program.replace(/(?<=[a-z])[\d.]+$/i, '');
  const [first] = words;
  if (path === '' || never.has(name)) return true;
  if (wrappers.has(name)) return isBannedInner(behindOptions(words, wrapperWord));
  if (withRunning.has(name) && first !== undefined && running.has(first)) {
    return isBannedInner(behindOptions(words.slice(1), harmlessOption));
  }
  if (name === 'rm') return words.every(isOption);
  if (open.has(name)) return isOption(first) || openSubcommands.has(first ?? '');
  if (name === 'git') return isOption(behindOptions(words, harmlessOption)[0]);
  if (!interpreters.has(name)) return false;
  const isNext = first !== undefined && scriptOption.test(`${name} ${first}`);
  return isOption(isNext ? words[1] : behindOptions(words, harmlessOption)[0]);
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
