import type { TurnItem } from '../../../protocol/turn-item.ts';
import { agentCell } from './agent-cell.ts';
import { answerCell } from './answer-cell.ts';
import { backgroundCell } from './background-cell.ts';
import { callCell } from './call-cell.ts';
import { calledPatchCell } from './called-patch-cell.ts';
import type { Cell } from './cell.ts';
import { type CallStanding, commandCell } from './command-cell.ts';
import { genericCell } from './generic-cell.ts';
import { imageCell } from './image-cell.ts';
import { patchCell } from './patch-cell.ts';
import { planCell } from './plan-cell.ts';
import { questionsCell } from './questions-cell.ts';
import { reasoningCell } from './reasoning-cell.ts';
import { userCell } from './user-cell.ts';
import { webSearchCell } from './web-search-cell.ts';

/** The cell of an item. Groups of calls that look around have one together: `exploringCell`. */
export function cellOf(item: TurnItem, context: CallStanding = {}): Cell {
  switch (item.kind) {
    case 'user-message':
      return userCell(item);
    case 'agent-message':
      return answerCell(item);
    case 'reasoning':
      return reasoningCell(item);
    case 'web-search':
      return webSearchCell(item);
    case 'image-generation':
    case 'image-view':
      return imageCell(item);
    case 'plan':
      return planCell(item);
    case 'command':
      return commandCell(item, context);
    case 'file-change':
      return patchCell(item);
    case 'tool-call':
      return agentCell(item) ?? backgroundCell(item) ?? questionsCell(item) ?? calledPatchCell(item) ?? callCell(item);
    default:
      // A newer engine may have more kinds.
      return genericCell(item satisfies never);
  }
}
