import { describePolicy, type PolicyDescription } from '../../../core/policy/profiles/describe-policy.ts';
import type { Engine } from '../../../engine/engine.ts';
import { networkWords } from '../../../engine/wording.ts';
import type { CommandSandbox } from '../../../engine/sandbox/command-sandbox.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { printResult, tableSpans, wrapSentences } from '../../views/terminal/tables.ts';
import { print, printNote } from '../../views/terminal/print.ts';
import { bold, green, red, type Span, yellow } from '../../views/terminal/styled-text.ts';

type RouteExplanation = Awaited<ReturnType<CommandSandbox['explain']>>[number];

const names: Readonly<Record<RouteExplanation['system'], string>> = {
  bubblewrap: 'Linux, bubblewrap',
  landlock: 'Linux, Landlock',
  seatbelt: 'macOS, Seatbelt',
  'windows-elevated': 'Windows, elevated',
  'windows-unelevated': 'Windows, unelevated',
};

const verdicts: Readonly<Record<RouteExplanation['verdict'], (text: string) => Span>> = {
  enforced: green,
  limited: yellow,
  planned: yellow,
  refused: red,
  unneeded: (text) => text,
};

export async function explainSandbox(sandbox: CommandSandbox, { json }: { readonly json: boolean }): Promise<number> {
  const { policy, cwd, profileName } = sandbox;
  const routes = await sandbox.explain();
  return printResult({ cwd, profile: profileName, policy, routes }, { json, pretty: true }, (form) => {
    const described = describePolicy(policy, cwd);
    const rows = routes.flatMap(({ system, verdict, why, losses = [] }) => [
      ...tableSpans([[bold(names[system].padEnd(19)), verdicts[verdict](verdict)]]),
      wrapSentences(why, form, '  '),
      ...losses.map((loss) => wrapSentences(`- ${loss}`, form, '  ')),
    ]);
    return [wrapSentences([headLine(described, sandbox), ...lists(described)].join('\n'), form), '\n', ...rows];
  });
}

function headLine(policy: PolicyDescription, { cwd, profileName }: CommandSandbox): string {
  const name = profileName === undefined || profileName.startsWith(':') ? policy.mode : `profile ${profileName}`;
  return `${name} in ${cwd}, ${networkWords(policy, { asksAboutRules: true })}`;
}

function lists(policy: PolicyDescription): readonly string[] {
  const { readsEverything, readablePaths, writableRoots, readOnlyPaths, keptGlobs, deniedPaths, deniedGlobs } = policy;
  const listed = {
    readable: readsEverything ? [] : readablePaths.length === 0 ? ['nothing'] : readablePaths,
    writable: writableRoots,
    'read-only': [...readOnlyPaths, ...keptGlobs],
    denied: [...deniedPaths, ...deniedGlobs],
    hosts: policy.lists?.allow ?? [],
    'denied hosts': policy.lists?.deny ?? [],
    'asked hosts': policy.lists?.ask ?? [],
    'local addresses': policy.lists?.local === true ? ['allowed'] : [],
    requests: policy.lists?.methods === 'reading' ? ['only GET, HEAD and OPTIONS, without encryption'] : [],
    sockets: policy.sockets,
  };
  return Object.entries(listed).flatMap(([name, values]) =>
    values.length === 0 ? [] : [`${name}: ${values.join(', ')}`],
  );
}

export async function setUpSandbox(engine: Engine): Promise<number | Outcome> {
  printNote("Fetching the distribution's package of bubblewrap …");
  const unpacked = await engine.unpackBubblewrap();
  if ('code' in unpacked) return unpacked;
  print(`Unpacked ${unpacked.program}\nRun \`capstan sandbox check\` to see what it enforces here.\n`, 'text');
  return 0;
}
