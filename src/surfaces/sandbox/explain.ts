import { describePolicy, type PolicyDescription } from '../../policy/describe-policy.ts';
import { defined } from '../../protocol/defined.ts';
import type { CommandSandbox } from '../engine/command-sandbox.ts';
import type { RouteExplanation } from '../engine/engine-types.ts';
import { bold, green, red, type Span, yellow } from '../terminal/look.ts';
import { pageForm, printPage, prose } from '../terminal/page.ts';
import { print } from '../terminal/print.ts';
import { tableSpans } from '../terminal/table.ts';
import { networkWords } from '../wording/policy-words.ts';

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

/** `capstan sandbox explain`. */
export async function explain(sandbox: CommandSandbox, { json }: { readonly json: boolean }): Promise<number> {
  const { policy, cwd, profileName } = sandbox;
  const routes = await sandbox.explain();
  if (json) {
    print(`${JSON.stringify({ cwd, ...defined({ profile: profileName }), policy, routes }, undefined, 2)}\n`, 'json');
    return 0;
  }
  const form = pageForm();
  const described = describePolicy(policy, cwd);
  const rows = routes.flatMap(({ system, verdict, why, losses = [] }) => [
    ...tableSpans([[bold(names[system].padEnd(19)), verdicts[verdict](verdict)]]),
    prose(why, form, '  '),
    ...losses.map((loss) => prose(`- ${loss}`, form, '  ')),
  ]);
  printPage([prose([headLine(described, sandbox), ...lists(described)].join('\n'), form), '\n', ...rows], form);
  return 0;
}

function headLine(policy: PolicyDescription, { cwd, profileName }: CommandSandbox): string {
  const name = profileName === undefined || profileName.startsWith(':') ? policy.mode : `profile ${profileName}`;
  return `${name} in ${cwd}, ${networkWords(policy, { asksAboutRules: true })}`;
}

/** What is open and what is closed, as far as there is any. */
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
