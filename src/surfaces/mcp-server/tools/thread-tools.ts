import type { ServerTool } from '../offer/server-tool.ts';
import { threadForkTool, threadPinTool, threadRollbackTool, threadUndoRollbackTool } from './branch-tools.ts';
import { threadCompactTool, threadInterruptTool, threadOverrideTool } from './control-tools.ts';
import { threadListTool, threadReadTool, threadSearchTool } from './read-tools.ts';
import type { ToolParts } from './tool-parts.ts';
import { threadAnswerTool, threadSendTool, threadStartTool, threadTurnTool } from './turn-tools.ts';
import { threadContextTool, threadEnvelopeTool, threadReplayTool } from './view-tools.ts';

/** The tools of the server in the order in which they are listed. */
export function threadTools(parts: ToolParts): readonly ServerTool[] {
  return [
    threadStartTool,
    threadSendTool,
    threadTurnTool,
    threadOverrideTool,
    threadCompactTool,
    threadInterruptTool,
    threadAnswerTool,
    threadListTool,
    threadReadTool,
    threadSearchTool,
    threadForkTool,
    threadRollbackTool,
    threadUndoRollbackTool,
    threadPinTool,
    threadContextTool,
    threadEnvelopeTool,
    threadReplayTool,
  ].map((tool) => tool(parts));
}
