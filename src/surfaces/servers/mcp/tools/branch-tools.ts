import type { ThreadId, TurnId } from '../../../../protocol/ids.ts';
import { type JsonObject, numberAt, stringAt } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import type { ThreadCut } from '../../../../protocol/thread.ts';
import type { RollbackTarget, RollbackUndone } from '../../../../engine/thread/branch/rollback-range.ts';
import { usageForPrograms } from '../../../views/wording/cost-words.ts';
import { plural } from '../../../../engine/wording.ts';
import type { ToolAnswer } from '../server-interface.ts';
import { refusalWhileSuspended } from './follow-turn.ts';
import { toolAnswer, refusalAnswer, withNotices } from './tool-answers.ts';
import { withThreadId } from './find-thread.ts';
import { shownSettings } from './settings-arguments.ts';
import { schemaParts, type UnboundTool, type ToolServices } from './tool-definition.ts';

export const threadForkTool: UnboundTool = {
  name: 'thread_fork',
  title: 'Fork a thread',
  description: 'Starts a thread that continues another one, from its end or from a turn. The other one stays as it is.',
  input: schemaParts.input({
    ...schemaParts.fields('thread_id'),
    through: schemaParts.text('last turn to keep: number or id'),
    before: schemaParts.text('first turn to leave out'),
  }),
  output: schemaParts.output('thread_id, from'),
  annotations: { readOnlyHint: false, destructiveHint: false },
  call: withThreadId(async (parts, id, args) => {
    const cut = cutFrom(args);
    if ('code' in cut) return refusalAnswer(cut);
    const forked = await parts.live.fork(id, cut);
    if (forked.kind === 'refused') return refusalAnswer(forked.outcome);
    const settings = shownSettings(forked.settings);
    // The fork's own figures include this usage, which the other thread counts as well.
    const usage = usageForPrograms(forked.usage().total);
    return toolAnswer(`Thread ${forked.id} continues ${id}.`, { thread_id: forked.id, from: id, usage, settings });
  }),
};

function cutFrom(args: JsonObject): ThreadCut | Outcome {
  const [through, before] = [stringAt(args, 'through'), stringAt(args, 'before')];
  if (through !== undefined && before !== undefined) return onlyOne('through', 'before');
  if (through !== undefined) return { kind: 'through', turnId: through as TurnId };
  return before === undefined ? { kind: 'latest' } : { kind: 'before', turnId: before as TurnId };
}

function onlyOne(...names: readonly string[]): Outcome {
  const message = `${names.join(' and ')} cannot be used together.`;
  return { code: 'usage', message, next: 'Leave out all but one. Nothing was changed.' };
}

export const threadRollbackTool: UnboundTool = {
  name: 'thread_rollback',
  title: 'Roll back turns',
  description: 'Takes the newest turns back. Files stay as they are. Can be undone.',
  input: schemaParts.input({
    ...schemaParts.fields('thread_id'),
    turns: schemaParts.wholeNumber('how many; default 1', 1),
    to_turn: schemaParts.text('last turn to keep'),
    before_checkpoint: schemaParts.wholeNumber('its number', 1),
  }),
  output: schemaParts.output('thread_id, turns: texts'),
  annotations: { readOnlyHint: false, destructiveHint: true },
  call: withThreadId(async (parts, id, args) => {
    const to = rangeFrom(args);
    if ('code' in to) return refusalAnswer(to);
    const waiting = await questionsOfSuspended(parts, id, 'Nothing was rolled back.');
    if (waiting !== undefined) return waiting;
    const done = await parts.live.whole(id, (stored) => stored.rollback(id, to));
    if (done.kind === 'refused') return refusalAnswer(done.outcome, { thread_id: id });
    const { turns, checkpoint } = done;
    const text = `${rolledBack(turns)} of thread ${id}. thread_undo_rollback undoes this.`;
    return withNotices(toolAnswer(text, { thread_id: id, turns, checkpoint }), done.notices);
  }),
};

/** Refuses a suspended thread, with its questions. Reads a thread that no client uses from its file. */
async function questionsOfSuspended(
  { engine, live }: ToolServices,
  id: ThreadId,
  what: string,
): Promise<ToolAnswer | undefined> {
  const kept = live.loaded.find((thread) => thread.id === id);
  if (kept !== undefined) return refusalWhileSuspended(kept, what);
  if ((await engine.stored.location(id)) === undefined) return undefined;
  return refusalWhileSuspended({ id, isSuspended: true, questions: await engine.stored.questions(id) }, what);
}

function rangeFrom(args: JsonObject): RollbackTarget | Outcome {
  const given = ['turns', 'to_turn', 'before_checkpoint'].filter((name) => args[name] !== undefined);
  if (given.length > 1) return onlyOne(...given);
  const [toTurn, beforeCheckpoint] = [stringAt(args, 'to_turn'), numberAt(args, 'before_checkpoint')];
  if (toTurn !== undefined) return { toTurn };
  if (beforeCheckpoint !== undefined) return { beforeCheckpoint };
  return { turns: numberAt(args, 'turns') ?? 1 };
}

export const threadUndoRollbackTool: UnboundTool = {
  name: 'thread_undo_rollback',
  title: 'Undo a rollback',
  description:
    'Brings back the turns of the newest rollback. Called again, undoes the rollback before it; if there is none, reverses the last undo. force: also if turns have started since; they are removed.',
  input: schemaParts.input('thread_id, force: boolean'),
  output: schemaParts.output('thread_id, turns: texts, replaced: texts'),
  annotations: { readOnlyHint: false, destructiveHint: true },
  call: withThreadId(async (parts, id, args) => {
    const force = args['force'] === true;
    const waiting = await questionsOfSuspended(parts, id, 'No rollback was undone.');
    if (waiting !== undefined) return waiting;
    const done = await parts.live.whole(id, (stored) => stored.undoRollback(id, { force }));
    if (done.kind === 'refused') return refusalAnswer(done.outcome, { thread_id: id });
    const { turns, replaced, next } = done;
    return toolAnswer(undoneText(id, done), { thread_id: id, turns, replaced, next });
  }),
};

const rolledBack = (turns: readonly TurnId[]): string =>
  `Rolled back ${plural(turns.length, 'turn')} (${turns.join(', ')})`;

/** Undoing an undo takes turns away: the text says so, and how to restore them. */
function undoneText(id: ThreadId, { turns, replaced, next }: RollbackUndone): string {
  const restored = turns.length === 0 ? [] : [`Restored ${plural(turns.length, 'turn')} (${turns.join(', ')}).`];
  const gone = replaced.length === 0 ? [] : [`${rolledBack(replaced)}.`];
  const again = next === undefined ? 'takes this undo back' : 'undoes the rollback before it';
  const was = turns.length === 0 && replaced.length > 0 ? ['The newest change was an undo, which is taken back.'] : [];
  return [`Thread ${id}:`, ...was, ...restored, ...gone, `Calling thread_undo_rollback again ${again}.`].join(' ');
}

export const threadPinTool: UnboundTool = {
  name: 'thread_pin',
  title: 'Pin notes',
  description: 'Lists, adds or removes notes that the model reads word for word.',
  input: schemaParts.input({
    ...schemaParts.fields('thread_id'),
    add: schemaParts.text('a note'),
    remove: schemaParts.text('number or id of a note'),
  }),
  output: schemaParts.output('thread_id, pins: list'),
  annotations: { readOnlyHint: false, destructiveHint: false },
  call: withThreadId(async (parts, id, args) => {
    const [add, remove] = [stringAt(args, 'add'), stringAt(args, 'remove')];
    if (add !== undefined && remove !== undefined) return refusalAnswer(onlyOne('add', 'remove'));
    if (add === undefined && remove === undefined) {
      const { stored } = parts.engine;
      const pins = (await stored.location(id)) === undefined ? [] : await stored.pins(id);
      return toolAnswer(pinsText(pins), { thread_id: id, pins });
    }
    const done = await parts.live.whole(id, (stored) =>
      add === undefined ? stored.unpin(id, remove ?? '') : stored.pin(id, add),
    );
    if (done.kind === 'refused') return refusalAnswer(done.outcome, { thread_id: id });
    return withNotices(toolAnswer(pinsText(done.pins), { thread_id: id, pins: done.pins }), done.notices);
  }),
};

const pinsText = (pins: readonly { readonly text: string }[]): string =>
  pins.length === 0 ? 'The thread has no pinned notes.' : pins.map((pin, at) => `${at + 1}. ${pin.text}`).join('\n');
