import { defined } from '../../../protocol/defined.ts';
import { fullText } from '../../../protocol/outcome.ts';
import type { Engine } from '../../engine/engine.ts';
import type { FolderTrust } from '../../engine/folder-trust.ts';
import { visibleLine } from '../../terminal/visible-text.ts';
import type { GateDesk } from './gate-desk.ts';

/** Whether there is something to decide: where trust changes nothing, the user is not asked. */
export function needsTrust({ trust, parts, decidesSandbox, isUndecidable }: FolderTrust): boolean {
  return trust === 'unknown' && isUndecidable === undefined && (parts.length > 0 || decidesSandbox);
}

/** `decided`: the engine has to be loaded again to know. */
export async function askForTrust(
  desk: GateDesk,
  engine: Engine,
  about: FolderTrust,
): Promise<'decided' | 'open' | 'left'> {
  const { root, decidesSandbox, changed } = about;
  const without = decidesSandbox ? 'commands only read, and Capstan asks before most of them' : '';
  let problem: string | undefined;
  for (;;) {
    const chosen = await desk.ask({
      title: `Do you ${changed === undefined ? '' : 'still '}trust the project in ${visibleLine(root)}?`,
      text: whatItChanges(about),
      ...defined({ problem }),
      choices: [
        { label: 'Yes', allows: true },
        { label: 'No, go on without them', about: without },
        { label: 'Not now', about: 'not saved: Capstan asks again at the next start' },
      ],
    });
    if (chosen === 'left') return 'left';
    if (chosen === 'back' || chosen === 2) return 'open';
    const failed = await engine.trust.decideFolder(about, chosen === 0 ? 'trusted' : 'untrusted');
    if (failed === undefined) return 'decided';
    problem = fullText(failed);
  }
}

const partWords = { config: 'configuration', hooks: 'hooks', rules: 'rules', skills: 'skills', agents: 'agents' };

function whatItChanges({ parts, wishes, root, file, decidesSandbox, changed }: FolderTrust): readonly string[] {
  const inRoot = (path: string): string => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);
  const listed = parts.map(({ kind, path }) => `${partWords[kind]} (${visibleLine(inRoot(path))})`);
  const found = parts.length === 0 ? '' : `It brings ${listed.join(', ')}. `;
  const isSet = wishes.some(({ key }) => ['sandbox_mode', 'default_permissions', 'permissions'].includes(key));
  const writes = decidesSandbox && !isSet ? ' Commands may then also change files of the project.' : '';
  const why = `You trusted this project. Since then commands ran under Landlock, which cannot protect its configuration, and ${visibleLine(inRoot(changed ?? ''))} is not what it was.`;
  return [
    ...(changed === undefined ? [] : [why]),
    `${found}If you trust it, Capstan uses the configuration, hooks, rules, skills, agents and MCP servers of the project. Hooks and MCP servers are programs that run by themselves.${writes}`,
    ...wishWords(wishes),
    'Say yes only if you know who wrote it: texts in a project can also mislead the model.',
    `Yes and no are saved for ${visibleLine(root)} in ${visibleLine(file)}.`,
  ];
}

/** What a yes turns on, in the words of the project's own file, programs first, and what the widest of it means. */
function wishWords(wishes: FolderTrust['wishes']): readonly string[] {
  if (wishes.length === 0) return [];
  const has = (key: string, value: string): boolean => wishes.some((wish) => wish.key === key && wish.value === value);
  const listed = (isWanted: (wish: FolderTrust['wishes'][number]) => boolean): readonly string[] =>
    wishes.filter(isWanted).map(({ key, value }) => `- ${visibleLine(`${key} = ${value}`)}`);
  const programs = listed(({ isProgram }) => isProgram === true);
  const others = listed(({ isProgram }) => isProgram !== true);
  const isFull = has('sandbox_mode', '"danger-full-access"') || has('default_permissions', '":danger-full-access"');
  return [
    ...(programs.length === 0 ? [] : ['Programs that then run by themselves:', ...programs]),
    ...(others.length === 0 ? [] : ['Its configuration also sets:', ...others]),
    ...(isFull ? ['Commands then have full access to this machine, without the sandbox.'] : []),
    ...(has('approval_policy', '"never"') ? ['Capstan does not ask before commands then.'] : []),
  ];
}
