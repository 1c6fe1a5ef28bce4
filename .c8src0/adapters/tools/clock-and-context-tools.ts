import { sleepEndedText, currentTimeText } from '../../core/fragments/answers/clock-and-sessions.ts';
import { contextLeftText, newContextFollows, notRunText } from '../../core/fragments/answers/tool-calls.ts';
import type { ToolSpec } from '../../ports/model.ts';
import type { Clock } from '../../ports/system.ts';
import { numberAt } from '../../protocol/json.ts';
import { functionSpec, functionTool } from './function-tool.ts';
import type { CallRunContext, Tool } from './tool.ts';

const mostMs = 43_200_000;
/** Poll interval: delay until a message ends the sleep. */
const lookMs = 200;

export function currentTimeTool({ clock }: { readonly clock: Clock }): Tool {
  return answeringTool(
    functionSpec('current_time', 'Gives the current date and time in UTC.'),
    ({ features }) => features.includes('current_time_reminder') || features.includes('sleep_tool'),
    () => currentTimeText(clock.now()),
  );
}

const wrongDuration = `\`duration_ms\` must be an integer from 1 to ${mostMs}.`;

export function sleepTool({ clock }: { readonly clock: Clock }): Tool {
  return functionTool({
    spec: functionSpec(
      'sleep',
      'Waits, for example for something that runs elsewhere. A new message of the user, a program or an agent ends the wait.',
      { duration_ms: { type: 'integer', description: `Milliseconds, from 1 to ${mostMs}.` } },
      ['duration_ms'],
    ),
    offeredIn: ({ features }) => features.includes('sleep_tool'),
    idempotent: true,
    malformed: wrongDuration,
    read(given) {
      const duration = numberAt(given, 'duration_ms') ?? 0;
      return Number.isInteger(duration) && duration >= 1 && duration <= mostMs ? { duration } : wrongDuration;
    },
    async run({ duration }, { signal, hasMail }) {
      const from = clock.now();
      const until = from + duration;
      const isOver = (): boolean => clock.now() >= until || signal.aborted || hasMail?.() === true;
      while (!isOver()) await clock.sleep(Math.min(lookMs, until - clock.now()), signal);
      return sleepEndedText(clock.now() - from, { isWhole: clock.now() >= until });
    },
  });
}

/** Has no arguments: whatever the model writes is ignored. */
function answeringTool(spec: ToolSpec, offeredIn: Tool['offeredIn'], answer: (call: CallRunContext) => string): Tool {
  return functionTool({
    spec,
    offeredIn,
    idempotent: true,
    parse: () => ({}),
    read: () => null,
    run: (_, running) => answer(running),
  });
}

export function contextRemainingTool(): Tool {
  const spec = functionSpec('get_context_remaining', 'Says how many tokens are left in your context window.');
  return windowTool(spec, ({ window }) => contextLeftText(window?.left()));
}

export function newContextTool(): Tool {
  const does =
    'Starts a new context window after this step: your work so far is compacted. Use it when a part of the work is done and its details are no longer needed.';
  return windowTool(functionSpec('new_context', does), ({ window }) => {
    if (window === undefined) return notRunText('the history cannot be compacted here.', 'Go on as you are.');
    window.renew();
    return newContextFollows;
  });
}

function windowTool(spec: ToolSpec, answer: (call: CallRunContext) => string): Tool {
  return answeringTool(spec, ({ features }) => features.includes('token_budget'), answer);
}
