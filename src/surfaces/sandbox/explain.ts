import { describePolicy } from '../../policy/describe-policy.ts';
import type { CommandSandbox } from '../engine/command-sandbox.ts';
import type { RouteExplanation } from '../engine/engine-types.ts';
import { bold, green, red, type Span, yellow } from '../terminal/look.ts';
import { pageForm, printPage, prose } from '../terminal/page.ts';
import { print } from '../terminal/print.ts';
import { tableSpans } from '../terminal/table.ts';

const names: Readonly<Record<RouteExplanation['system'], string>> = {
  bubblewrap: 'Linux, bubblewrap',
  landlock: 'Linux, Landlock',
  seatbelt: 'macOS, Seatbelt',
  'windows-elevated': 'Windows, elevated',
  'windows-unelevated': 'Windows, unelevated',
};

const verdicts: Readonly<Record<RouteExplanation['verdict'], (text: string) => Span>> = {
  enforced: green,
  planned: yellow,
  refused: red,
  unneeded: (text) => text,
};

/** `capstan sandbox explain`. */
export function explain(sandbox: CommandSandbox, { json }: { readonly json: boolean }): number {
  const { policy, cwd } = sandbox;
  const routes = sandbox.explain();
  if (json) {
    print(`${JSON.stringify({ cwd, policy, routes }, undefined, 2)}\n`, 'json');
    return 0;
  }
  const form = pageForm();
  const { mode, network, writableRoots, deniedPaths } = describePolicy(policy, cwd);
  const lists = [
    ...(writableRoots.length === 0 ? [] : [`writable: ${writableRoots.join(', ')}`]),
    ...(deniedPaths.length === 0 ? [] : [`denied: ${deniedPaths.join(', ')}`]),
  ];
  const rows = routes.flatMap(({ system, verdict, why }) => [
    ...tableSpans([[bold(names[system].padEnd(19)), verdicts[verdict](verdict)]]),
    prose(why, form, '  '),
  ]);
  printPage([prose([`${mode} in ${cwd}, network ${network}`, ...lists].join('\n'), form), '\n', ...rows], form);
  return 0;
}
