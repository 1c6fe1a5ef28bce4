import type { ThreadId } from '../../protocol/ids.ts';
import type { AgentNode } from '../engine/agent-node.ts';
import { cyan, dim, type Span } from '../terminal/look.ts';
import { pageForm, printPage } from '../terminal/page.ts';
import { print } from '../terminal/print.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { moneyWords } from '../wording/money-words.ts';
import { count } from '../wording/number-words.ts';
import type { FoundThread } from './find-thread.ts';

/** `capstan threads show --tree`: a thread and its agents, one line each. */
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
    `${count(used)} tokens used`,
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
