import type { AgentNode } from '../../../engine/agents/read-agent-tree.ts';
import { cyan, dim, type Span } from '../../views/terminal/styled-text.ts';
import { printResult } from '../../views/terminal/tables.ts';
import { visibleLine } from '../../views/terminal/visible-text.ts';
import { moneyWords } from '../../views/wording/cost-words.ts';
import { formatCount } from '../../../engine/wording.ts';
import type { FoundThread } from './operations.ts';

export async function showAgentTree({ engine, id }: FoundThread, options: { readonly json: boolean }): Promise<number> {
  const tree = await engine.stored.agents(id);
  return printResult({ tree }, options, () => nodeSpans(tree, 0));
}

function nodeSpans(node: AgentNode, depth: number): readonly Span[] {
  const { id, path, role, status, used, money, estimated, agents } = node;
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
