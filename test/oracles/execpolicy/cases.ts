import { Random } from '../../harness/random.ts';

/** Rules files and a command. */
export interface RulesCase {
  readonly files: readonly string[];
  readonly command: readonly string[];
  readonly resolves: boolean;
}

const programs = ['git', 'npm', 'ls', '/usr/bin/git', '/opt/npm', './git', 'sub/npm', '/usr//bin/../bin/ls'];
const others = ['status', 'run', '-rf', '--', 'a b', '', 'é"\n', '--pretty'];
const hosts = ['x.com', 'X.com.', '*.x.com', 'x.com:80', '[::1]:80', '[x', 'a b', '', 'http://x', 'x.com/', '...'];

/** The case of a number: rules that mostly load, and a command that some of them are often about. */
export function makeRulesCase(seed: number): RulesCase {
  const random = new Random(seed);
  const files = Array.from({ length: random.happens(0.15) ? 2 : 1 }, () => rulesFile(random));
  const program = random.pick(random.happens(0.6) ? programs.slice(0, 3) : programs);
  const command = [program, ...Array.from({ length: random.below(4) }, () => random.pick(others))];
  return { files, command, resolves: random.happens(0.5) };
}

function rulesFile(random: Random): string {
  const lines = Array.from({ length: 1 + random.below(5) }, () => statement(random));
  return lines.join(random.pick(['\n', '\n\n', '\n# a comment\n']));
}

function statement(random: Random): string {
  const kind = random.next();
  if (kind < 0.6) return prefixRule(random);
  if (kind < 0.68) return hostExecutable(random);
  if (kind < 0.75) return networkRule(random);
  return random.pick(constructs)(random);
}

function prefixRule(random: Random, pattern = patternOf(random)): string {
  const parts = [random.happens(0.5) ? pattern : `pattern=${pattern}`];
  if (random.happens(0.6)) parts.push(`decision=${decision(random)}`);
  if (random.happens(0.3))
    parts.push(
      `justification=${random.happens(0.1) ? random.pick(['""', 'None']) : random.pick(['"why"', '"é\\n\\u2028"', "' x '"])}`,
    );
  if (random.happens(0.08)) parts.push(`match=[${example(random)}]`);
  if (random.happens(0.08)) parts.push(`not_match=[${example(random)}]`);
  if (random.happens(0.02)) parts.push('other=1');
  return `prefix_rule(${parts.join(random.pick([', ', ',\n  ']))})`;
}

function decision(random: Random): string {
  return quote(random.happens(0.03) ? 'deny' : random.pick(['allow', 'prompt', 'forbidden']));
}

function patternOf(random: Random): string {
  const word = (from: readonly string[]): string => quote(random.pick(from));
  const slot = (from: readonly string[]): string =>
    random.happens(0.3)
      ? `[${Array.from({ length: random.happens(0.03) ? 0 : 2 }, () => word(from)).join(', ')}]`
      : word(from);
  const rest = Array.from({ length: Math.max(0, random.below(4) - 1) }, () => slot(others));
  if (random.happens(0.02)) return random.pick(['[]', '()', '"git"', '["git", 1]', '["git", ("a",)]']);
  return `[${[slot(programs.slice(0, random.happens(0.6) ? 3 : 5)), ...rest].join(', ')}]`;
}

function example(random: Random): string {
  if (random.happens(0.5)) return quote(`${random.pick(programs)} ${random.pick(['status', "'a b'", 'run # x', '"'])}`);
  return `[${quote(random.pick(programs))}, ${quote(random.pick(others))}]`;
}

function hostExecutable(random: Random): string {
  const name = random.pick(['git', 'npm', 'ls', 'a/b']);
  const paths = random.pick([[], [`/usr/bin/${name}`], ['/opt/npm', '/opt/npm'], ['/usr/bin/ls'], [`bin/${name}`]]);
  return `host_executable(name=${quote(name)}, paths=[${paths.map(quote).join(', ')}])`;
}

function networkRule(random: Random): string {
  const protocol = random.pick(['http', 'https', 'https_connect', 'http-connect', 'socks5_tcp', 'socks5_udp', 'ftp']);
  const what = random.pick(['allow', 'deny', 'prompt', 'forbidden', 'maybe']);
  return `network_rule(${[random.happens(0.7) ? 'x.com' : random.pick(hosts), protocol, what].map(quote).join(', ')})`;
}

/** Uses of the language, some of which are wrong. */
const constructs: readonly ((random: Random) => string)[] = [
  (random) =>
    `for p in ["git", "npm"]:\n  ${prefixRule(random, `[p, ${quote(random.pick(others))}]`).replaceAll('\n', '')}`,
  (random) =>
    `def add(words, decision=${decision(random)}):\n  prefix_rule(words, decision)\nadd(${patternOf(random)})`,
  (random) => `prefix_rule([x for x in ${patternOf(random)} if x != "ls"])`,
  (random) =>
    `prefix_rule(["git", "%s" % ${quote(random.pick(others))}] if ${random.pick(['1', '0', '[]', '""'])} else ["ls"])`,
  (random) =>
    `n = ${random.below(4)}\nprefix_rule(["ls", "status", "run"][n:] + ["git"][:1], justification=f"n is {n}, {n!r}")`,
  (random) =>
    `d = {"git": "prompt", "npm": ${decision(random)}}\nfor k in d:\n  prefix_rule([k], d[k], justification=str(d))`,
  (random) =>
    `f = lambda p, *w: p\nprefix_rule([${quote(random.pick(programs))}])`.replace(', *w', random.pick(['', ', w=1'])),
  (random) =>
    `if "git" in ${patternOf(random)} and not False:\n  prefix_rule(["git"])\nelif True:\n  pass\nelse:\n  prefix_rule(["ls"])`,
  (random) =>
    `words = []\nfor i in range(${random.below(4)}):\n  if i == 2: break\n  words += ["x" * i]\nprefix_rule(["git"] + words, justification=str(words) + "!")`,
  (random) =>
    random.pick([
      'while True: pass',
      'load("a", "b")',
      'print(1)',
      'x = [',
      'x = "',
      'if False: nope()',
      '  x = 1',
      'x = 1 / 0',
      'return',
      'x = y',
      'x = "a" + 1',
      'x = {}["a"]',
      'x = 1 if 2',
    ]),
];

function quote(text: string): string {
  return JSON.stringify(text);
}
