import { stringAt } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import { checkpointText, compactionInterrupted } from '../../../views/wording/checkpoint-words.ts';
import { checkpointFields } from '../../../views/wording/json-fields.ts';
import type { ToolAnswer } from '../server-interface.ts';
import { refusalWhileAsked, reportProgress, refusalWhileSuspended, tellOpenQuestions } from './follow-turn.ts';
import { toolAnswer, refusalAnswer } from './tool-answers.ts';
import { findLiveThread, withLiveThread } from './find-thread.ts';
import {
  outcomeForCall,
  settingsChangeFrom,
  contextArguments,
  folderFrom,
  argumentOfSetting,
  shownSettings,
} from './settings-arguments.ts';
import { schemaParts, type UnboundTool } from './tool-definition.ts';

export const threadOverrideTool: UnboundTool = {
  name: 'thread_override',
  title: 'Override the context',
  description: 'Changes what later turns start from: all that is given, or nothing.',
  input: schemaParts.input({ ...schemaParts.fields('thread_id'), ...contextArguments }),
  output: schemaParts.output('thread_id, changed: texts, settings: object'),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  async call(parts, args, context) {
    const change = settingsChangeFrom(args, parts.cwd);
    if (change === undefined) return refusalAnswer(nothingToChange);
    const thread = await findLiveThread(parts, stringAt(args, 'thread_id') ?? '', folderFrom(args, parts.cwd));
    if ('code' in thread) return refusalAnswer(thread);
    const listening = parts.listeners.add(thread, context.client);
    try {
      const done = await thread.override(change);
      if (done.kind === 'refused') return refusalAnswer(outcomeForCall(done.outcome), { thread_id: thread.id });
      if (done.changed.length > 0) await listening.sent(({ kind }) => kind === 'settings');
      const changed = done.changed.map(argumentOfSetting);
      const words =
        changed.length === 0 ? 'already has these settings' : `has another ${changed.join(', ')} from its next turn on`;
      const queued = done.queued && shownSettings(done.queued);
      const later = queued === undefined ? '' : ' Turns that wait will change more: see queued_settings.';
      const shown = { settings: shownSettings(done.settings), queued_settings: queued };
      return toolAnswer(`Thread ${thread.id} ${words}.${later}`, { thread_id: thread.id, changed, ...shown });
    } finally {
      listening.end();
    }
  },
};

const nothingToChange: Outcome = {
  code: 'nothing-to-change',
  message: 'The call names nothing to change.',
  next: `Give at least one of these: ${Object.keys(contextArguments).join(', ')}.`,
};

export const threadCompactTool: UnboundTool = {
  name: 'thread_compact',
  title: 'Compact the history',
  description: 'Replaces the history with a checkpoint that keeps the words of the user.',
  input: schemaParts.input({
    ...schemaParts.fields('thread_id'),
    focus: schemaParts.text('what the checkpoint should emphasise'),
  }),
  output: schemaParts.output('thread_id, report: object'),
  annotations: { readOnlyHint: false, destructiveHint: false },
  call: withLiveThread(async (parts, thread, args, context) => {
    const notCompacted = 'The history was not compacted.';
    const blocked =
      refusalWhileSuspended(thread, notCompacted) ?? refusalWhileAsked(parts, thread, context, notCompacted);
    if (blocked !== undefined) return blocked;
    const listening = parts.listeners.add(thread, context.client);
    const stopProgress = reportProgress(parts, thread, context);
    tellOpenQuestions(thread, context);
    const asked = Promise.withResolvers<ToolAnswer>();
    // The compaction comes after the answer, so this call ends: a model may be able to make only one call at a time.
    const later = 'The history will be compacted when the turn continues.';
    const stopReading = parts.feeds.read(thread, () => {
      const waiting = refusalWhileAsked(parts, thread, context, later);
      if (waiting !== undefined) asked.resolve(waiting);
    });
    try {
      // The call cancels only its own compaction.
      const focus = stringAt(args, 'focus')?.trim() || undefined;
      const done = await Promise.race([thread.compact({ focus, signal: context.signal }), asked.promise]);
      if (done.kind === 'answer') return done;
      if (done.kind === 'aborted') return refusalAnswer(compactionInterrupted, { thread_id: thread.id });
      if (done.kind !== 'installed') return refusalAnswer(done.outcome, { thread_id: thread.id });
      await listening.sent(({ kind }) => kind === 'checkpoint-installed');
      return toolAnswer(checkpointText(done.report), { thread_id: thread.id, report: checkpointFields(done.report) });
    } finally {
      stopReading();
      stopProgress();
      listening.end();
    }
  }),
};

export const threadInterruptTool: UnboundTool = {
  name: 'thread_interrupt',
  title: 'Interrupt a turn',
  description: 'Ends the turn that runs or waits for an answer. The thread can be continued.',
  input: schemaParts.input('thread_id'),
  output: schemaParts.output('thread_id, interrupted: boolean, turn_id'),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  call: withLiveThread(async (_, thread) => {
    const asked = thread.isSuspended ? thread.questions.length : 0;
    const done = await thread.interrupt();
    if (done.kind !== 'interrupted') return toolAnswer('No turn runs.', { thread_id: thread.id, interrupted: false });
    const text = `Turn ${done.turnId} is interrupted.${dropped(asked)}`;
    return toolAnswer(text, { thread_id: thread.id, interrupted: true, turn_id: done.turnId });
  }),
};

function dropped(questions: number): string {
  if (questions === 0) return '';
  return questions === 1
    ? ' Its question lapsed, and the call did not run.'
    : ` Its ${questions} questions lapsed, and the calls did not run.`;
}
