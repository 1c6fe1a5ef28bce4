import { defined } from '../../../protocol/defined.ts';
import { fullText } from '../../../protocol/outcome.ts';
import type { Engine } from '../../engine/engine.ts';
import type { FolderTrust } from '../../engine/folder-trust.ts';
import { visibleLine } from '../../terminal/visible-text.ts';
import type { GateDesk } from './gate-desk.ts';

/** Whether there is something to decide: where trust changes nothing, the user is not asked. */
export function needsTrust({ trust, parts, decidesSandbox }: FolderTrust): boolean {
  return trust === 'unknown' && (parts.length > 0 || decidesSandbox);
}

/** `decided`: the engine has to be loaded again to know. */
export async function askForTrust(
  desk: GateDesk,
  engine: Engine,
  about: FolderTrust,
): Promise<'decided' | 'open' | 'left'> {
  const { root, decidesSandbox } = about;
  const without = decidesSandbox ? 'commands only read, and Capstan asks before most of them' : '';
  let problem: string | undefined;
  for (;;) {
    const chosen = await desk.ask({
      title: `Do you trust the project in ${visibleLine(root)}?`,
      text: whatItChanges(about),
      ...defined({ problem }),
      choices: [
        { label: 'Yes' },
        { label: 'No, go on without them', about: without },
        { label: 'Not now', about: 'not saved: Capstan asks again at the next start' },
      ],
    });
    if (chosen === 'left') return 'left';
    if (chosen === 'back' || chosen === 2) return 'open';
    const failed = await engine.decideTrust(about, chosen === 0 ? 'trusted' : 'untrusted');
    if (failed === undefined) return 'decided';
    problem = fullText(failed);
  }
}

const partWords = { config: 'configuration', hooks: 'hooks', rules: 'rules', skills: 'skills', agents: 'agents' };

function whatItChanges({ parts, root, file, decidesSandbox }: FolderTrust): readonly string[] {
  const inRoot = (path: string): string => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);
  const listed = parts.slice(0, 4).map(({ kind, path }) => `${partWords[kind]} (${visibleLine(inRoot(path))})`);
  const more = parts.length > listed.length ? `, and ${parts.length - listed.length} more` : '';
  const found = parts.length === 0 ? '' : `It brings ${listed.join(', ')}${more}. `;
  const writes = decidesSandbox ? ' Commands may then also change files of the project.' : '';
  return [
    `${found}If you trust it, Capstan uses the configuration, hooks, rules, skills, agents and MCP servers of the project. Hooks and MCP servers are programs that run by themselves.${writes}`,
    'Say yes only if you know who wrote it: texts in a project can also mislead the model.',
    `Yes and no are saved for ${visibleLine(root)} in ${visibleLine(file)}.`,
  ];
}
