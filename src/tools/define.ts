import type { Step } from '../envelope/step.ts';
import type { Touched } from '../ports/change-watch.ts';
import type { StartedProcess } from '../ports/processes.ts';
import type { ToolSpec } from '../ports/prompt.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { TurnItem } from '../protocol/turn-item.ts';

/** Something the model can ask for. */
export interface Tool {
  readonly name: string;
  readonly spec: ToolSpec;
  /** Reads what the model wrote and says what would be done. Has no effect on the world. */
  prepare(call: ToolCall, step: Step): PreparedCall | RefusedCall;
}

export interface ToolCall {
  readonly callId: string;
  /** The arguments as the model wrote them: JSON text for function tools. */
  readonly input: string;
}

/** A call that may run. `run` is invoked at most once, after the record that it starts is durable. */
export interface PreparedCall {
  readonly kind: 'prepared';
  /** The call as surfaces show it while it runs. */
  readonly item: TurnItem;
  /** The item outlives the call: later calls change it, and it is over when the turn is. */
  readonly standing?: true;
  /** Files of the workspace may be other ones afterwards. */
  readonly mayWrite?: true;
  /**
   * Never rejects. Reports the process that does it, if there is one, while it runs, and through `warn` what the user
   * should know meanwhile. When the signal aborts it ends what it started and answers soon.
   */
  run(
    signal: AbortSignal,
    onStarted: (process: StartedProcess) => void,
    warn: (outcome: Outcome) => void,
  ): Promise<CallResult>;
}

/** A call that will not run; `output` tells the model why. */
export interface RefusedCall {
  readonly kind: 'refused';
  readonly output: string;
}

export interface CallResult {
  /** What the model is told: text within the budget of one tool output, or parts with pictures among them. */
  readonly output: string | readonly JsonObject[];
  /** All that there was to tell, if `output` is only a part of it. Kept beside the thread; the model never sees it. */
  readonly fullOutput?: string;
  /** The call as surfaces show it when it is over. */
  readonly item: TurnItem;
  /** What it did to files. Absent: it changed none, or undo is off. */
  readonly touched?: Touched;
}
