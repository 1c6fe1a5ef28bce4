import type { NetworkAccess } from '../../../protocol/permissions.ts';
import { quote } from '../../fragments/text/escape-markup.ts';
import { boundedList, byteLength, dashedLines, withMissingCount } from '../../fragments/text/truncate.ts';
import { allowsAsking } from '../../policy/decide/approval-policy.ts';
import type { StandingGrants } from '../../policy/grants/granted-policy.ts';
import type { GrantedPermissions } from '../../policy/grants/grants.ts';
import { isWithin } from '../../policy/paths/absolute-paths.ts';
import { globBaseFolder } from '../../policy/paths/glob.ts';
import { networkWord, type PolicyDescription, type ReachedNetwork } from '../../policy/profiles/describe-policy.ts';
import { landlockLeavesOpen } from '../../policy/profiles/landlock-policy.ts';
import type { RestrictedPrefixes, PrefixRule } from '../../policy/rules/rule-set.ts';
import { type ApprovalFacts, questionReachesUser } from './approvals.ts';

/** Lines about reads and writes: less than 18,000 bytes, or 22,000 with Landlock, however long the lists are. */
export const fileLines = (told: PolicyDescription): readonly string[] => [
  ...(told.readsEverything ? [] : ['Reading is limited to the paths that are listed here as readable or writable.']),
  ...openings('Writable roots', told.writableRoots, 2500),
  ...openings('Not writable until the user creates them', told.missingRoots, 500),
  ...limits('Read-only inside them, and shown as empty folders where they do not exist', told.readOnlyPaths, 2500),
  ...limits(keptTitle, told.keptGlobs, 800),
  ...landlockLines(told),
  ...openings('Readable', told.readablePaths, 2500),
  ...limits('Not readable, and no request can change that', told.deniedPaths, 2500),
  ...limits(told.deniedPaths.length === 0 ? globsAlone : 'Nor is anything that matches', told.deniedGlobs, 1500),
  ...(told.globDepth === undefined ? [] : [depthSentence(told.globDepth)]),
  ...limits('Kept for Capstan itself, and not readable', told.ownPaths, 1500),
  ...(reopens(told) ? ['Where one of these paths lies in another, the inner one decides.'] : []),
];

/** How Landlock differs from the usual sandbox: limits that it leaves to the model, and folders that it closes. */
function landlockLines(told: PolicyDescription): readonly string[] {
  if (told.landlock === undefined) return [];
  const { unprotected, unprotectedNames, closedRoots } = told.landlock;
  const isHiding = told.deniedPaths.length + told.deniedGlobs.length + told.ownPaths.length > 0;
  return [
    `Landlock enforces this in place of the usual sandbox. ${landlockLeavesOpen.background}, and it sees which processes run outside.`,
    ...limits('Not protected from commands, and not to be changed unless the user asks for it', unprotected, 1500),
    ...(unprotectedNames.length === 0
      ? []
      : [`The same holds for these names at any depth of writable roots: ${unprotectedNames.map(quote).join(', ')}`]),
    ...(told.writableRoots.length > 0
      ? ['Modes and times of files outside the writable roots are not protected either. Leave them as they are.']
      : []),
    ...openings(
      'Temporary folders that are not writable, because they hold files that must stay as they are',
      closedRoots,
      500,
    ),
    ...(isHiding
      ? [
          'A file that appears beside one that is not readable can be read by the next command, and not by one that runs already. Folders above a folder that is not readable cannot be listed, but what lies in them can be read by its name.',
        ]
      : []),
  ];
}

const keptTitle =
  'Read-only wherever they existed when the turn began, with .agents, .codex, .aws and .capstan beside them';
const globsAlone = 'Nothing that matches is readable, and no request can change that';

/** Reachable hosts and sockets if a policy names some: less than 7,000 bytes. */
function networkLines({ lists, sockets }: ReachedNetwork, asksAboutRules: boolean): readonly string[] {
  const allowed =
    lists === undefined ? [] : lists.allow.length === 0 ? ['Hosts: none'] : openings('Hosts', lists.allow, 2000);
  const { deny = [], ask = [] } = lists ?? {};
  return [
    ...allowed,
    ...(asksAboutRules ? exceptions('Asked about, because of a rule', ask, 800) : []),
    // If no question reaches the user, a host that needs an answer cannot be reached.
    ...exceptions('But not', asksAboutRules ? deny : [...deny, ...ask], 1500),
    ...openings('Sockets that commands can connect to', sockets, 800),
  ];
}

function exceptions(title: string, hosts: readonly string[], bytes: number): readonly string[] {
  const list = bounded(hosts, bytes);
  const more = `… and ${list.left} more that are not listed here, so a listed host may fail as well`;
  return hosts.length === 0 ? [] : [`${title}: ${withMissingCount(list, more).join(', ')}`];
}

/** Additional permissions of commands, by duration: less than 3,600 bytes. */
export function grantedLines({ session, turn }: StandingGrants = {}): Readonly<
  Partial<Record<keyof StandingGrants, string>>
> {
  const bytes = session === undefined || turn === undefined ? 1000 : 500;
  return {
    ...(session === undefined ? {} : { session: `Granted for this session, ${grantedWords(session, bytes)}` }),
    ...(turn === undefined ? {} : { turn: `Granted for the rest of this turn, ${grantedWords(turn, bytes)}` }),
  };
}

function grantedWords({ network, read = [], write = [], hosts = [] }: GrantedPermissions, bytes: number): string {
  const parts = [
    // The lines about the network, which come earlier, already include this grant.
    ...(network === true ? ['the network, as described above'] : []),
    ...openings('writing below', write, bytes),
    ...openings('reading', read, bytes),
    ...openings('connecting to', hosts, bytes),
  ];
  return `beyond the limits of the sandbox: ${parts.join('; ')}.`;
}

function openings(title: string, paths: readonly string[], bytes: number): readonly string[] {
  const list = bounded(paths, bytes);
  const more = `… and ${list.left} more that are not listed here`;
  return paths.length === 0 ? [] : [`${title}: ${withMissingCount(list, more).join(', ')}`];
}

/** For lists that remove access: if some are not listed, the text says where they may be. */
function limits(title: string, paths: readonly string[], bytes: number): readonly string[] {
  const { kept, left } = bounded(paths, bytes);
  if (left === 0) return openings(title, paths, bytes);
  const where = shortFolder(commonFolder(paths.slice(kept.length)));
  return [`${title}: ${[...kept, `… and ${left} more below ${quote(where)} that are not listed here`].join(', ')}`];
}

/** Quoted as JSON: a name with a newline or a quote in it stays one name. */
function bounded(texts: readonly string[], bytes: number) {
  const kept: string[] = [];
  let used = 0;
  for (const text of texts.slice(0, 100)) {
    const quoted = quote(text);
    used += byteLength(quoted) + 2;
    if (used > bytes) break;
    kept.push(quoted);
  }
  return { kept, left: texts.length - kept.length };
}

/** The folder that contains all of them. Anything after a wildcard may be anywhere. */
function commonFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => globBaseFolder(path).split('/').slice(1));
  const differs = first.findIndex((name, index) => others.some((other) => other[index] !== name));
  return `/${(differs === -1 ? first : first.slice(0, differs)).join('/')}`;
}

/** A parent folder with a short path. */
function shortFolder(folder: string): string {
  const names = folder.split('/').slice(1);
  while (byteLength(quote(`/${names.join('/')}`)) > 300) names.pop();
  return `/${names.join('/')}`;
}

const depthSentence = (depth: number): string =>
  `These patterns match at most ${depth} ${depth === 1 ? 'name' : 'names'} below the folder they begin with.`;

function reopens({ writableRoots, readablePaths, readOnlyPaths, deniedPaths, ownPaths }: PolicyDescription): boolean {
  const open = [...writableRoots, ...readablePaths];
  return [...readOnlyPaths, ...deniedPaths, ...ownPaths].some((closed) => open.some((path) => isWithin(path, closed)));
}

/** The network now: as the policy has it or, in `opened`, as an answer of the user opened it. */
export type NetworkFacts = ReachedNetwork &
  ApprovalFacts & { readonly opened?: ReachedNetwork; readonly landlock?: PolicyDescription['landlock'] };

/** Less than 8,000 bytes. */
export function reachableNetworkLines(told: NetworkFacts): readonly string[] {
  const now = { ...told, ...told.opened };
  return [
    `Network: ${networkWord(now)}. ${reachSentences(now)}`,
    ...networkLines(now, questionReachesUser(told, 'rules')),
  ];
}

const plainSentence: Readonly<Record<NetworkAccess, string>> = {
  restricted:
    'Nothing outside a command can be reached. It can reach servers that it starts itself, on its own loopback.',
  enabled: 'Commands can use the network.',
};

const withoutLoopback =
  'Nothing outside a command can be reached, and it cannot start servers either: no sockets work but connected pairs.';
const ownServers = ' Servers that a command starts itself answer on its own loopback, whatever the lists say.';

function reachSentences(told: NetworkFacts): string {
  const { network, lists } = told;
  if (lists === undefined && network === 'restricted' && told.landlock !== undefined) return withoutLoopback;
  if (lists === undefined) return plainSentence[network];
  const others = lists.allow.includes('*')
    ? ''
    : questionReachesUser(told, 'sandbox')
      ? ' A connection to any other host waits until the user has allowed or declined it: run the command without asking first. Its time limit stands still meanwhile.'
      : ' Connections to any other host fail.';
  const local = lists.local
    ? ' This machine and private networks count as hosts like any other: where they are allowed, servers of this machine also answer on the loopback of a command.'
    : ' Connections to this machine and to private networks fail, unless their address itself is listed.';
  const methods =
    lists.methods === 'any' ? '' : ' Only GET, HEAD and OPTIONS requests over plain HTTP are let through: HTTPS fails.';
  return `Commands reach the hosts listed here through a proxy.${others}${local}${ownServers}${methods}`;
}

/** Lists the commands that rules refuse or ask about: a call that is bound to fail would cost a step. */
export function restrictedCommandLines({
  held,
  approval,
  canAsk,
}: ApprovalFacts & { readonly held: RestrictedPrefixes }) {
  const isAsked = canAsk && allowsAsking(approval, 'rules');
  const refused = isAsked ? held.forbidden : [...held.forbidden, ...held.asked];
  return [
    ...titled('Rules refuse commands that begin with one of these, also inside a script:', refused),
    ...titled(
      'Rules ask the user before commands that begin with one of these, also inside a script:',
      isAsked ? held.asked : [],
    ),
  ];
}

function titled(title: string, patterns: readonly PrefixRule['pattern'][]): readonly string[] {
  const lines = [...new Set(patterns.map(patternText))].toSorted((a, b) => a.length - b.length);
  return lines.length === 0 ? [] : [title, ...dashedLines(boundedList(lines, { count: 50, characters: 1500 }))];
}

function patternText(pattern: PrefixRule['pattern']): string {
  const word = (slot: PrefixRule['pattern'][number]): string =>
    typeof slot === 'string' ? quote(slot) : `[${slot.map(quote).join(', ')}]`;
  return `[${pattern.map(word).join(', ')}]`;
}
