import { defined } from '../../../base/objects.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { quoteShellCommand } from '../../../protocol/shell.ts';
import { splitShellWords } from '../commands/shell-quoting.ts';
import { normalisePath } from '../paths/absolute-paths.ts';
import { throwRulesFault, RulesMeter, RulesFault } from './language/faults-and-limits.ts';
import { bindArguments, plainBuiltins, runRulesProgram } from './language/interpreter.ts';
import { parseRules } from './language/parser.ts';
import { isKind, rulesTypeName } from './language/values.ts';
import type { CallArguments, FunctionValue, RulesValue } from './language/values.ts';
import { matchRules } from './match-rules.ts';
import type { HostRule, PrefixRule, RuleDecision, RuleSet } from './rule-set.ts';

/** A rules file's content, or why it has none. A file is valid as a whole or not at all. */
export type RulesFileResult = { readonly kind: 'read'; readonly rules: RuleSet } | RulesFileProblem;
/** `message`: a sentence without the place. */
type RulesFileProblem = { readonly kind: 'problem'; readonly line: number } & Pick<Outcome, 'message' | 'next'>;
/** `file`: its name in the sources of its rules. `executables`: from earlier files, for the examples of this file. */
export type RulesFile = { readonly file: string; readonly executables?: RuleSet['executables'] };

/** Runs the text of a rules file. Never throws, and always ends soon. */
export function runRulesFile(text: string, { file, executables: earlier = {} }: RulesFile): RulesFileResult {
  const meter = new RulesMeter();
  const draft: RuleDraft = { prefixes: [], hosts: [], executables: new Map(), examples: [] };
  const builtins = [...plainBuiltins(meter), ...ruleBuiltins(draft, file, meter)];
  const known = new Map(builtins.map((value) => [value.name, value]));
  try {
    runRulesProgram(parseRules(text, new Set(known.keys())), known, meter);
    const executables = Object.fromEntries(draft.executables);
    checkExamples(draft.examples, { ...earlier, ...executables }, meter);
    return { kind: 'read', rules: { prefixes: draft.prefixes, hosts: draft.hosts, executables } };
  } catch (error) {
    if (!(error instanceof RulesFault)) throw error;
    return { kind: 'problem', line: error.line ?? meter.line, message: cut(error.message), next: cut(error.next) };
  }
}

/** Messages quote names and strings of the file, which may be as long as the file. */
const cut = (text: string): string => (text.length > 500 ? `${text.slice(0, 500)}…` : text);
type Example = readonly string[];

interface ExampleSet extends Readonly<Record<'match' | 'notMatch', readonly Example[]>> {
  readonly rules: readonly PrefixRule[];
  readonly line: number;
}

/** Checks every example against its own rules. `executables` is known only after the whole file has run. */
function checkExamples(sets: readonly ExampleSet[], executables: RuleSet['executables'], meter: RulesMeter): void {
  for (const { rules, match, notMatch, line } of sets) {
    const size = rules[0]?.pattern.reduce((sum, slot) => sum + (typeof slot === 'string' ? 1 : slot.length), 0) ?? 0;
    const fits = (example: Example): boolean => {
      const own = { prefixes: rules, hosts: [], executables };
      meter.spend(rules.length * size + example.length);
      return matchRules(own, example, { resolveExecutables: true, cwd: '/' }).length > 0;
    };
    const hit = notMatch.find(fits);
    if (hit !== undefined) failExample(`matches \`${shown(hit)}\`, an example in \`not_match\``, line);
    const missed = match.find((example) => !fits(example));
    if (missed !== undefined) failExample(`does not match \`${shown(missed)}\`, an example in \`match\``, line);
  }
}

function failExample(what: string, line: number): never {
  throwRulesFault(`The rule ${what}.`, 'Correct the pattern or the example.', line);
}

function shown(example: Example): string {
  const text = quoteShellCommand(example);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

interface RuleDraft {
  readonly prefixes: PrefixRule[];
  readonly hosts: HostRule[];
  readonly executables: Map<string, readonly string[]>;
  readonly examples: ExampleSet[];
}

/** Functions that add rules to a draft. `file`: the source name in the rules. */
function ruleBuiltins(draft: RuleDraft, file: string, meter: RulesMeter): readonly FunctionValue[] {
  const source = (): string => `${file}:${meter.line}`;
  return [
    builtin('prefix_rule', ['pattern'], ['decision', 'match', 'not_match', 'justification'], (given) => {
      const slots = listAt(given, 'pattern').map(slotOf);
      const [first, ...rest] = slots;
      if (first === undefined) throwRulesFault('`pattern` is empty.', 'Name at least a program.');
      const decision = decisionOf(given, 'allow', prefixDecisions);
      const justification = justificationOf(given);
      const programs = typeof first === 'string' ? [first] : first;
      const most = rest.flat().reduce((size, word) => size + 1 + word.length, justification?.length ?? 0);
      meter.spend(programs.reduce((size, program) => size + 1 + program.length + most, 0));
      const about = { decision, ...defined({ justification }), source: source() };
      const rules = programs.map((program) => ({ pattern: [program, ...rest], ...about }));
      for (const rule of rules) draft.prefixes.push(rule);
      const [match, notMatch] = [examplesAt(given, 'match', meter), examplesAt(given, 'not_match', meter)];
      if (match.length + notMatch.length > 0) draft.examples.push({ rules, match, notMatch, line: meter.line });
    }),
    builtin('network_rule', ['host', 'protocol', 'decision'], ['justification'], (given) => {
      const host = ruleHost(stringAt(given, 'host'));
      const justification = justificationOf(given);
      meter.spend(host.length + (justification?.length ?? 0));
      const protocol = protocolOf(stringAt(given, 'protocol'));
      const decision = decisionOf(given, 'prompt', hostDecisions);
      draft.hosts.push({ host, protocol, decision, ...defined({ justification }), source: source() });
    }),
    builtin('host_executable', ['name', 'paths'], [], (given) => {
      const name = stringAt(given, 'name');
      const what = `\`name\` is ${quoted(name)}, which is not the name of a program.`;
      if (['', '.', '..'].includes(name) || name.includes('/')) throwRulesFault(what, 'Write it without folders.');
      const paths = listAt(given, 'paths').map((path) => executablePath(path, name));
      meter.spend(paths.reduce((size, path) => size + 1 + path.length, name.length));
      draft.executables.set(name, [...new Set(paths)]);
    }),
  ];
}

type Given = ReadonlyMap<string, RulesValue>;
type Names = readonly string[];

function builtin(name: string, needed: Names, others: Names, work: (given: Given) => void): FunctionValue {
  const parameters = [...needed, ...others].map((name, at) => ({ name, isNeeded: at < needed.length }));
  const call = (given: CallArguments): null => {
    work(bindArguments(name, parameters, given));
    return null;
  };
  return { kind: 'function', name, call };
}

function failType(name: string, wanted: string, value: RulesValue | undefined): never {
  throwRulesFault(`\`${name}\` must be a ${wanted}, not a ${rulesTypeName(value ?? null)}.`, `Write a ${wanted}.`);
}

function listAt(given: Given, name: string): readonly RulesValue[] {
  const value = given.get(name) ?? null;
  if (isKind(value, 'list')) return value.items;
  failType(name, 'list', value);
}

const stringAt = (given: Given, name: string): string => asString(given.get(name), name, 'string');
const asString = (value: RulesValue | undefined, name: string, wanted: string): string =>
  typeof value === 'string' ? value : failType(name, wanted, value);

function slotOf(slot: RulesValue): string | readonly string[] {
  if (typeof slot === 'string') return slot;
  if (!isKind(slot, 'list')) failType('pattern', 'list of strings and lists', slot);
  if (slot.items.length === 0) throwRulesFault('A list in `pattern` is empty.', 'Name the words that may be there.');
  return slot.items.map((word) => asString(word, 'pattern', 'list of strings and lists of strings'));
}

type Decisions = Readonly<Record<string, RuleDecision>>;
const prefixDecisions: Decisions = { allow: 'allow', prompt: 'prompt', forbidden: 'forbidden' };
const hostDecisions: Decisions = { ...prefixDecisions, deny: 'forbidden' };

function decisionOf(given: Given, fallback: RuleDecision, known: Decisions): RuleDecision {
  const written = given.has('decision') ? stringAt(given, 'decision') : fallback;
  if (Object.hasOwn(known, written)) return known[written]!;
  throwRulesFault(`\`decision\` is ${JSON.stringify(written)}.`, `Use one of: ${Object.keys(known).join(', ')}.`);
}

function justificationOf(given: Given): string | undefined {
  if (!given.has('justification')) return undefined;
  const text = stringAt(given, 'justification');
  if (text.trim() === '') throwRulesFault('`justification` is empty.', 'Write a reason, or leave it out.');
  return text;
}

const protocols: Readonly<Record<string, HostRule['protocol']>> = {
  http: 'http',
  https: 'https',
  https_connect: 'https',
  'http-connect': 'https',
  socks5_tcp: 'socks5_tcp',
  socks5_udp: 'socks5_udp',
};

function protocolOf(written: string): HostRule['protocol'] {
  if (Object.hasOwn(protocols, written)) return protocols[written]!;
  throwRulesFault(`\`protocol\` is ${quoted(written)}.`, 'Use one of: http, https, socks5_tcp, socks5_udp.');
}

function executablePath(value: RulesValue, name: string): string {
  const path = asString(value, 'paths', 'list of strings');
  if (!path.startsWith('/'))
    throwRulesFault(`The path ${JSON.stringify(path)} is not absolute.`, 'Begin it with a slash.');
  const plain = normalisePath(path);
  if (plain?.endsWith(`/${name}`) === true) return plain;
  throwRulesFault(`The path ${JSON.stringify(path)} does not end in ${name}.`, 'Name a file with that name.');
}

function examplesAt(given: Given, name: string, meter: RulesMeter): readonly Example[] {
  if (!given.has(name)) return [];
  return listAt(given, name).map((written) => {
    const words = typeof written === 'string' ? splitShellWords(written) : wordsOf(written, name);
    meter.spend(typeof written === 'string' ? written.length : (words?.length ?? 0));
    if (words === undefined) throwRulesFault(`An example in \`${name}\` has an open quote.`, 'Close it.');
    if (words.length === 0) throwRulesFault(`An example in \`${name}\` is empty.`, 'Write a command, or remove it.');
    return words;
  });
}

function wordsOf(written: RulesValue, name: string): readonly string[] {
  if (!isKind(written, 'list')) failType(name, 'list of commands', written);
  return written.items.map((word) => asString(word, name, 'list of commands'));
}

/** The host of a rule: lower case, without a port, a final dot or brackets. Faults on anything but a single host. */
function ruleHost(written: string): string {
  const text = written.trim();
  const reject = (what: string, next = 'Write a name such as example.com, or an address.'): never =>
    throwRulesFault(`The host ${JSON.stringify(written)} ${what}.`, next);
  if (/[/?#]/.test(text)) reject('has more than a name');
  const host = withoutDots(text.startsWith('[') ? withoutBrackets(text) : withoutPort(text))?.toLowerCase();
  if (host === undefined) return reject('has brackets that do not match');
  if (host === '') reject('is empty');
  if (host.includes('*')) reject('has a wildcard', 'Write one rule for each host.');
  if (/\s/.test(host)) reject('has a space in it');
  return host;
}

/** Undefined if unclosed, or followed by anything but a port. */
const withoutBrackets = (text: string): string | undefined => /^\[([^\]]*)\](?::[0-9]+)?$/.exec(text)?.[1];

/** Removes final dots. A pattern would examine each dot of a long row repeatedly. */
function withoutDots(host: string | undefined): string | undefined {
  let end = host?.length ?? 0;
  while (host?.[end - 1] === '.') end--;
  return host?.slice(0, end);
}

/** An address with several colons has no port. */
function withoutPort(text: string): string {
  const [host = '', port, more] = text.split(':');
  return port !== undefined && more === undefined && /^[0-9]+$/.test(port) ? host : text;
}

export const prefixRuleLine = (prefix: readonly string[]): string =>
  `prefix_rule(pattern=[${prefix.map(quoted).join(', ')}], decision="allow")`;

const connectionWords: Readonly<Record<HostRule['protocol'], string>> = {
  http: 'HTTP connections',
  https: 'HTTPS connections',
  socks5_tcp: 'TCP connections',
  socks5_udp: 'UDP packets',
};

/** The line that allows a host. Its reason is for readers of the file. */
export function hostRuleLine(host: string, protocol: HostRule['protocol']): string {
  const justification = quoted(`Allow ${connectionWords[protocol]} to ${host}`);
  return `network_rule(host=${quoted(host)}, protocol="${protocol}", decision="allow", justification=${justification})`;
}

/** JSON strings are also valid strings in rules. */
const quoted = (text: string): string => JSON.stringify(text);
