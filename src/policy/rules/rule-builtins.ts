import { defined } from '../../protocol/defined.ts';
import { bindArguments, type BoundParameter } from './bind-arguments.ts';
import type { Example, ExampleSet } from './examples.ts';
import { programPath } from './program-path.ts';
import { ruleHost } from './rule-host.ts';
import type { Meter } from './meter.ts';
import type { HostRule, PrefixRule, RuleDecision } from './rule-set.ts';
import { RulesFault } from './rules-fault.ts';
import { splitWords } from './split-words.ts';
import { type CallArguments, type FunctionValue, typeOf, type Value } from './values.ts';

/** What the functions of a file have added so far. */
export interface RuleDraft {
  readonly prefixes: PrefixRule[];
  readonly hosts: HostRule[];
  readonly executables: Map<string, readonly string[]>;
  readonly examples: ExampleSet[];
}

/** The functions that add rules to a draft. `file`: what the rules name as their source. */
export function ruleBuiltins(draft: RuleDraft, file: string, meter: Meter): readonly FunctionValue[] {
  const source = (): string => `${file}:${meter.line}`;
  return [
    builtin('prefix_rule', ['pattern'], ['decision', 'match', 'not_match', 'justification'], (given) => {
      const slots = listAt(given, 'pattern').map(slotOf);
      const [first, ...rest] = slots;
      if (first === undefined) throw new RulesFault('`pattern` is empty.', 'Name at least a program.');
      const decision = decisionOf(given, 'allow', prefixDecisions);
      const justification = justificationOf(given);
      const programs = typeof first === 'string' ? [first] : first;
      const most = rest.flat().reduce((size, word) => size + 1 + word.length, justification?.length ?? 0);
      meter.spend(programs.reduce((size, program) => size + 1 + program.length + most, 0));
      const rules = programs.map((program) => ({
        pattern: [program, ...rest],
        decision,
        ...defined({ justification }),
        source: source(),
      }));
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
      if (name === '' || name === '.' || name === '..' || name.includes('/')) {
        throw new RulesFault(
          `\`name\` is ${JSON.stringify(name)}, which is not the name of a program.`,
          'Write it without folders.',
        );
      }
      const paths = listAt(given, 'paths').map((path) => executablePath(path, name));
      meter.spend(paths.reduce((size, path) => size + 1 + path.length, name.length));
      draft.executables.set(name, [...new Set(paths)]);
    }),
  ];
}

type Given = ReadonlyMap<string, Value>;

function builtin(
  name: string,
  needed: readonly string[],
  others: readonly string[],
  work: (given: Given) => void,
): FunctionValue {
  const parameters: readonly BoundParameter[] = [
    ...needed.map((parameter) => ({ name: parameter })),
    ...others.map((parameter) => ({ name: parameter, fallback: undefined })),
  ];
  const call = (given: CallArguments): null => {
    work(bindArguments(name, parameters, given));
    return null;
  };
  return { kind: 'function', name, call };
}

function wrongType(name: string, wanted: string, value: Value | undefined): RulesFault {
  return new RulesFault(`\`${name}\` must be a ${wanted}, not a ${typeOf(value ?? null)}.`, `Write a ${wanted}.`);
}

function listAt(given: Given, name: string): readonly Value[] {
  const value = given.get(name);
  if (value !== null && typeof value === 'object' && value.kind === 'list') return value.items;
  throw wrongType(name, 'list', value);
}

function stringAt(given: Given, name: string): string {
  const value = given.get(name);
  if (typeof value === 'string') return value;
  throw wrongType(name, 'string', value);
}

function slotOf(slot: Value): string | readonly string[] {
  if (typeof slot === 'string') return slot;
  if (slot === null || typeof slot !== 'object' || slot.kind !== 'list')
    throw wrongType('pattern', 'list of strings and lists', slot);
  if (slot.items.length === 0)
    throw new RulesFault('A list in `pattern` is empty.', 'Name the words that may be there.');
  return slot.items.map((word) => {
    if (typeof word !== 'string') throw wrongType('pattern', 'list of strings and lists of strings', word);
    return word;
  });
}

const prefixDecisions: Readonly<Record<string, RuleDecision>> = {
  allow: 'allow',
  prompt: 'prompt',
  forbidden: 'forbidden',
};
const hostDecisions: Readonly<Record<string, RuleDecision>> = { ...prefixDecisions, deny: 'forbidden' };

function decisionOf(given: Given, fallback: RuleDecision, known: typeof prefixDecisions): RuleDecision {
  const written = given.has('decision') ? stringAt(given, 'decision') : fallback;
  const decision = Object.hasOwn(known, written) ? known[written] : undefined;
  if (decision !== undefined) return decision;
  throw new RulesFault(`\`decision\` is ${JSON.stringify(written)}.`, `Use one of: ${Object.keys(known).join(', ')}.`);
}

function justificationOf(given: Given): string | undefined {
  if (!given.has('justification')) return undefined;
  const text = stringAt(given, 'justification');
  if (text.trim() === '') throw new RulesFault('`justification` is empty.', 'Write a reason, or leave it out.');
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
  const protocol = Object.hasOwn(protocols, written) ? protocols[written] : undefined;
  if (protocol !== undefined) return protocol;
  throw new RulesFault(
    `\`protocol\` is ${JSON.stringify(written)}.`,
    'Use one of: http, https, socks5_tcp, socks5_udp.',
  );
}

function executablePath(path: Value, name: string): string {
  if (typeof path !== 'string') throw wrongType('paths', 'list of strings', path);
  if (!path.startsWith('/'))
    throw new RulesFault(`The path ${JSON.stringify(path)} is not absolute.`, 'Begin it with a slash.');
  const plain = programPath(path);
  if (plain?.endsWith(`/${name}`) === true) return plain;
  throw new RulesFault(`The path ${JSON.stringify(path)} does not end in ${name}.`, 'Name a file with that name.');
}

/** Commands as strings, or as lists of words. */
function examplesAt(given: Given, name: string, meter: Meter): readonly Example[] {
  if (!given.has(name)) return [];
  return listAt(given, name).map((written) => {
    const words = typeof written === 'string' ? splitWords(written) : wordsOf(written, name);
    meter.spend(typeof written === 'string' ? written.length : (words?.length ?? 0));
    if (words === undefined) throw new RulesFault(`An example in \`${name}\` has an open quote.`, 'Close it.');
    if (words.length === 0)
      throw new RulesFault(`An example in \`${name}\` is empty.`, 'Write a command, or remove it.');
    return words;
  });
}

function wordsOf(written: Value, name: string): readonly string[] {
  if (written === null || typeof written !== 'object' || written.kind !== 'list')
    throw wrongType(name, 'list of commands', written);
  return written.items.map((word) => {
    if (typeof word !== 'string') throw wrongType(name, 'list of commands', word);
    return word;
  });
}
