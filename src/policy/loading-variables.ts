import { isSettledPlace, type ProgramGround } from './settled-program.ts';

/** Variables that hold places from which a program, or one that it starts, loads code: libraries, start files, helpers. */
const places = new Set(
  'LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT LD_DEBUG_OUTPUT DYLD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_FRAMEWORK_PATH DYLD_FALLBACK_LIBRARY_PATH GCONV_PATH OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES BASH_ENV ZDOTDIR PERL5LIB PERLLIB PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONPYCACHEPREFIX RUBYLIB NODE_PATH LUA_PATH LUA_CPATH CLASSPATH GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_SSH GIT_ASKPASS SSH_ASKPASS GNUPGHOME'.split(
    ' ',
  ),
);

/** Variables that hold a program with its arguments. */
const commandLines = new Set(
  'EDITOR VISUAL GIT_SEQUENCE_EDITOR GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF'.split(' '),
);

/** Variables that hold options, of which some have a program load code. */
const options: Readonly<Record<string, RegExp>> = {
  JAVA_TOOL_OPTIONS: /agent|path/i,
  _JAVA_OPTIONS: /agent|path/i,
  NODE_OPTIONS: /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader)\b/,
  PERL5OPT: /\S/,
  RUBYOPT: /\S/,
};

/**
 * The name of a variable by which code gets into a program that commands can have written. Undefined: none does. A place
 * that is not absolute is one of the folder that the program runs in.
 */
export function openVariable(
  variables: Readonly<Record<string, string>>,
  ground: Omit<ProgramGround, 'path'>,
): string | undefined {
  const isSettled = (place: string): boolean =>
    isSettledPlace(place.startsWith('/') ? place : `${ground.cwd}/${place}`, ground);
  return Object.keys(variables).find((name) => {
    const value = variables[name] ?? '';
    if (value === '') return false;
    // A command line: names alone are found by the search path, and those of the user's home are the user's.
    if (commandLines.has(name)) return !wordsOf(value).filter(isPathWord).every(isSettled);
    if (Object.hasOwn(options, name)) return options[name]?.test(value) === true && !wordsOf(value).every(isSettled);
    // Git would write there.
    if (name.startsWith('GIT_TRACE')) return value.startsWith('/') && !isSettled(value);
    return places.has(name) && !value.split(/[:;\s]/).every(isSettled);
  });
}

/** What of options could be a place: a name alone is looked for in the folder. A place may follow its option at once. */
function wordsOf(value: string): readonly string[] {
  return value
    .split(/[\s=:,"']+/)
    .map((word) => (word.startsWith('-') ? (/^-(?:[Ir](?=.)|[^/]*(?=\/))(.*)/.exec(word)?.[1] ?? '') : word))
    .filter((word) => word !== '');
}

function isPathWord(word: string): boolean {
  return word.includes('/') && !word.startsWith('~');
}
