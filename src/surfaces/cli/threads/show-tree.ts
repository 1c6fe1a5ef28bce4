import type { ThreadId } from '../../../protocol/ids.ts';
import type { AgentNode } from '../../../engine/agents/read-agent-tree.ts';
import { cyan, dim, type Span } from '../../views/terminal/styled-text.ts';
import { pageForm, printPage } from '../../views/terminal/page.ts';
import { print } from '../../views/terminal/print.ts';
import { visibleLine } from '../../views/terminal/text.ts';
import { moneyWords } from '../../views/wording/cost-words.ts';
import { formatCount } from '../../../engine/wording.ts';
import type { FoundThread } from './operations.ts';

export async function showTree(
  { engine, id }: Pick<FoundThread, 'engine'> & { readonly id: ThreadId },
  { json }: { readonly json: boolean },
): Promise<number> {
  const tree = await engine.stored.agents(id);
  if (json) print(`${JSON.stringify({ tree })}\n`, 'json');
  else printPage(nodeSpans(tree, 0), pageForm());
  return 0;
}

function nodeSpans(
  { id, path, role, status, used, money, estimated, agents }: AgentNode,
  depth: number,
): readonly Span[] {
  const name = depth === 0 ? path : (path.split('/').at(-1) ?? path);
  const about = [
    status,
    `${formatCount(used)} tokens used`,
    ...(money === undefined ? [] : [moneyWords(money, estimated)]),
    ...(role === undefined || role === 'default' ? [] : [role]),
  ];
  return [
    '  '.repeat(depth),
    cyan(visibleLine(name)),
    `  ${visibleLine(about.join(', '))}  `,
    dim(visibleLine(id)),
    '\n',
    ...agents.flatMap((agent) => nodeSpans(agent, depth + 1)),
  ];
}
