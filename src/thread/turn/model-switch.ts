import { effortNote } from '../../envelope/effort.ts';
import { defined } from '../../protocol/defined.ts';
import { equalJson, type JsonObject, objectAt, stringAt, valueAt } from '../../protocol/json.ts';
import type { FieldChange } from '../../protocol/thread-event.ts';
import { storeEnvelope } from '../../state/stored-envelope.ts';
import type { ModelSwitch } from '../../state/turn-drafts.ts';
import type { Turn } from '../parts/parts.ts';

/** What may move with the model. */
const fields = [
  'identity.effort',
  'identity.summary',
  'identity.verbosity',
  'identity.serviceTier',
  'identity.model.supportedEfforts',
  'capabilities.tools',
  'capabilities.modalities',
  'capabilities.imageGeneration',
  'capabilities.webSearch',
  'modes.collaboration',
  'window',
] as const;

/** What came with another model; undefined when the turn before had the same one. */
export function modelSwitch({ log, envelope }: Pick<Turn, 'log' | 'envelope'>): ModelSwitch | undefined {
  const { context, envelope: before } = log.state;
  const from = stringAt(context, 'model');
  const to = envelope.identity.model.slug;
  if (from === undefined || from === to) return undefined;
  const changes = before === undefined ? [] : changesBetween(before, storeEnvelope(envelope));
  return { from, to, changes };
}

/** One event that says it, once the line that holds it is there. */
export function tellSwitch({ log, turnId, envelope }: Turn, switched: ModelSwitch | undefined): void {
  const { context, envelope: before } = log.state;
  const from = stringAt(context, 'model');
  const to = envelope.identity.model.slug;
  if (switched !== undefined) log.tell({ kind: 'model-switched', turnId, ...switched });
  const had = defined({ effort: stringAt(objectAt(objectAt(before, 'identity'), 'chosen'), 'effort') });
  const note = from && effortNote(envelope.identity.model, { model: from, ...had }, envelope.identity.chosen.effort);
  if (note) log.tell({ kind: 'warning', outcome: note });
  const { asked, mode } = envelope.modes.collaboration;
  if (asked !== undefined && (from !== to || asked !== valueAt(before, ['modes', 'collaboration', 'asked']))) {
    const message = `The model ${to} does not support ${asked} mode; the turn runs in ${mode} mode.`;
    const next = `Choose a model that supports it, or leave ${asked} mode.`;
    log.tell({ kind: 'warning', outcome: { code: 'mode-unsupported', message, next } });
  }
}

function changesBetween(before: JsonObject, now: JsonObject): readonly FieldChange[] {
  return fields.flatMap((field) => {
    const [from, to] = [valueAt(before, field.split('.')), valueAt(now, field.split('.'))];
    return equalJson(from, to) ? [] : [{ field, ...defined({ from, to }) }];
  });
}
