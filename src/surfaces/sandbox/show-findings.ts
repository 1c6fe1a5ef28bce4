import type { SandboxMeans } from '../engine/command-sandbox.ts';
import { green, red, type Span, yellow } from '../terminal/look.ts';
import { pageForm, printPage, prose } from '../terminal/page.ts';
import { print } from '../terminal/print.ts';
import { plural } from '../wording/number-words.ts';
import { tableSpans } from '../terminal/table.ts';
import type { Finding } from './probes.ts';

const states: Readonly<Record<Finding['state'], Span & object>> = {
  holds: green('holds'),
  broken: red('BROKEN'),
  lost: yellow('lost'),
  unknown: yellow('unknown'),
};

/** What was found, for people or for programs. */
export function showFindings(
  { means, findings }: { readonly means: SandboxMeans; readonly findings: readonly Finding[] },
  { json }: { readonly json: boolean },
): void {
  const broken = findings.filter(({ state }) => state === 'broken');
  if (json) {
    print(`${JSON.stringify({ holds: broken.length === 0, means, findings }, undefined, 2)}\n`, 'json');
    return;
  }
  const form = pageForm();
  const rows = findings.map(({ what, state, detail }) => [what, states[state], detail]);
  const unknown = findings.filter(({ state }) => state === 'unknown').length;
  const lost = findings.filter(({ state }) => state === 'lost').length;
  const but = lost === 0 ? '' : `, but for ${plural(lost, 'promise')} that Landlock cannot keep`;
  const sum =
    broken.length === 0
      ? `Everything holds${but}${unknown === 0 ? '' : `, ${plural(unknown, 'attempt')} could not be made`}.`
      : `${plural(broken.length, 'promise')} of the policy ${broken.length === 1 ? 'does' : 'do'} not hold here. Do not rely on this sandbox.`;
  printPage(
    [prose(meansText(means), form), '\n', ...tableSpans(rows, { width: form.width }), '\n', prose(sum, form)],
    form,
  );
}

function meansText({ kind, program, closesUserNamespaces, ownProcessTable }: SandboxMeans): string {
  const by = program === undefined ? kind : `${kind}, ${program}`;
  const less = [
    ...(closesUserNamespaces === false ? ['This bubblewrap cannot forbid user namespaces inside.'] : []),
    ...(ownProcessTable === false ? ['This system gives the sandbox no process table of its own.'] : []),
  ];
  return [`Commands are isolated by ${by}.`, ...less].join('\n');
}
