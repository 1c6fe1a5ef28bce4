import { between } from './between-tags.ts';

/** The permissions of commands, as far as a reader knows them. */
export interface Permissions {
  readonly mode: string;
  readonly network: string;
  readonly approval: string;
  readonly readsEverything: boolean;
  readonly writableRoots: readonly string[];
  readonly readOnlyPaths: readonly string[];
  readonly keptGlobs: readonly string[];
  readonly deniedPaths: readonly string[];
  readonly missingRoots: readonly string[];
  readonly readablePaths: readonly string[];
  readonly deniedGlobs: readonly string[];
  readonly ownPaths: readonly string[];
  readonly globDepth?: number;
  readonly sockets: readonly string[];
  readonly lists?: {
    readonly allow: readonly string[];
    readonly deny: readonly string[];
    /** Before each connection to one of these the user is asked. */
    readonly asked: readonly string[];
    /** The user is asked about hosts that are not listed. */
    readonly asksAboutOthers: boolean;
    readonly local: boolean;
    readonly methods: string;
  };
  /** Grants that answers added: a line for the session, and one for the turn. */
  readonly grants: readonly string[];
  /** Hosts among the grants, as `host:port`. */
  readonly grantedHosts: readonly string[];
  /** Each as JSON, sorted: their order says nothing. */
  readonly prefixes: readonly string[];
  /** Commands that rules hold back, each pattern as JSON. */
  readonly refused: readonly string[];
  readonly asked: readonly string[];
}

/** The newest message holds as a whole. */
export function readPermissions(text: string): Permissions | undefined {
  const body = between('permissions instructions', text);
  if (body.startsWith('The permissions described earlier are withdrawn.')) return undefined;
  const word = (name: string): string => new RegExp(`^${name}: ([\\w-]+)\\. `, 'm').exec(body)?.[1] ?? 'not told';
  return {
    mode: word('Sandbox'),
    network: word('Network'),
    approval: word('Approval'),
    readsEverything: !body.includes('\nReading is limited to'),
    writableRoots: quotedList(body, 'Writable roots'),
    readOnlyPaths: quotedList(body, 'Read-only inside them'),
    keptGlobs: quotedList(body, 'Read-only wherever'),
    deniedPaths: quotedList(body, 'Not readable'),
    missingRoots: quotedList(body, 'Not writable until'),
    readablePaths: quotedList(body, 'Readable'),
    deniedGlobs: quotedList(body, '(?:Nor is anything that matches|Nothing that matches is readable)'),
    ownPaths: quotedList(body, 'Kept for Capstan itself'),
    ...depth(body),
    sockets: quotedList(body, 'Sockets that commands can connect to'),
    ...hosts(body),
    ...grantsIn(body.split('\n').filter((line) => line.startsWith('Granted for '))),
    prefixes: dashedList(body, approvedTitle).map(unquoted).toSorted(),
    refused: dashedList(body, /^Rules refuse commands that begin with one of these, also inside a script:$/)
      .map(unquoted)
      .toSorted(),
    asked: dashedList(body, /^Rules ask the user before commands that begin with one of these, also inside a script:$/)
      .map(unquoted)
      .toSorted(),
  };
}

function grantsIn(grants: readonly string[]): Pick<Permissions, 'grants' | 'grantedHosts'> {
  const hosts = grants.flatMap((line) => / connecting to: (".*)\.$/.exec(line)?.[1] ?? []);
  return { grants, grantedHosts: hosts.flatMap((listed) => JSON.parse(`[${listed}]`) as string[]) };
}

function depth(body: string): { readonly globDepth?: number } {
  const found = /^These patterns match at most (\d+) names? below/m.exec(body)?.[1];
  return found === undefined ? {} : { globDepth: Number(found) };
}

function hosts(body: string): Pick<Permissions, 'lists'> {
  if (!body.includes('Commands reach the hosts listed here through a proxy')) return {};
  const local = !body.includes('Connections to this machine and to private networks fail');
  const asksAboutOthers = body.includes('A connection to any other host waits until the user');
  const methods = body.includes('Only GET, HEAD and OPTIONS requests') ? 'reading' : 'any';
  const [allow, deny] = [quotedList(body, 'Hosts'), quotedList(body, 'But not')];
  const said = Number(asksAboutOthers) + Number(body.includes('Connections to any other host fail.'));
  if (said !== (allow.includes('*') ? 0 : 1))
    throw new Error('what becomes of other hosts is said once, if there are some');
  return { lists: { allow, deny, asked: quotedList(body, 'Asked about'), asksAboutOthers, local, methods } };
}

function quotedList(body: string, title: string): readonly string[] {
  const listed = new RegExp(`^${title}[^:"]*: (".*)$`, 'm').exec(body)?.[1];
  return listed === undefined ? [] : (JSON.parse(`[${listed}]`) as string[]);
}

/** The title of approved scripts, wherever they run: that follows from the mode and from the unreadable paths. */
const approvedTitle =
  /^(?:Where sandboxed commands can change neither the programs that a script starts nor its git repository, it runs (?:outside the sandbox|in a sandbox that only denies what is not readable), without a question, unless stdin or tty is set,|A script is neither asked about nor refused, even if it destroys,) if each of its commands begins with one of these(?:, or with one listed earlier)?:$/;

function dashedList(body: string, title: RegExp): readonly string[] {
  const lines = body.split('\n');
  const at = lines.findIndex((line) => title.test(line));
  if (at < 0) return [];
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !line.startsWith('- '));
  return (end < 0 ? rest : rest.slice(0, end)).map((line) => line.slice(2));
}

/** A list of words or a word, as plain JSON writes it: what is escaped in the text is not in the fact. */
function unquoted(line: string): string {
  const at = line.search(/["[]/);
  return `${line.slice(0, at)}${JSON.stringify(JSON.parse(line.slice(at)))}`;
}

export function withPrefixes(before: Permissions | undefined, text: string): Permissions {
  const news = dashedList(between('approved_command_prefixes', text), approvedTitle);
  if (before === undefined || news.length === 0) throw new Error('prefixes that add nothing, or to nothing');
  return { ...before, prefixes: [...new Set([...before.prefixes, ...news.map(unquoted)])].toSorted() };
}

/** Each part that is named takes the place of what was told of it. */
export function withGranted(before: Permissions | undefined, text: string): Permissions {
  const body = between('granted_permissions', text);
  const [first, ...lines] = body.split('\n');
  if (
    before === undefined ||
    first !== 'Of the permissions described earlier, this is different now. All else stays as it was.'
  )
    throw new Error('grants that change nothing');
  const granted = ['Granted for this session, ', 'Granted for the rest of this turn, '].flatMap((opening) => {
    const now = lines.find((line) => line.startsWith(opening));
    const line = now ?? before.grants.find((line) => line.startsWith(opening));
    return line === undefined || line.endsWith('beyond the limits of the sandbox: nothing any more.') ? [] : [line];
  });
  if (!/^Network: /m.test(body)) return { ...before, ...grantsIn(granted) };
  const { lists: _lists, ...rest } = before;
  const { network, sockets, lists } = readPermissions(
    `<permissions instructions>\n${lines.join('\n')}\n</permissions instructions>`,
  )!;
  return { ...rest, network, sockets, ...(lists === undefined ? {} : { lists }), ...grantsIn(granted) };
}
