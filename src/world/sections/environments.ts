import {
  type EnvironmentText,
  environmentFragment,
  environmentWithdrawnFragment,
} from '../../fragments/environment.ts';
import { render } from '../../fragments/define.ts';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import { type Section, unknown } from '../section.ts';

/** Where and when the model works. Every member is always told, so that the full form leaves nothing old standing. */
export type EnvironmentFact = Required<Pick<EnvironmentText, 'cwd' | 'shell' | 'date' | 'timezone'>>;

interface StoredEnvironments extends JsonObject {
  readonly environments: {
    readonly local: { readonly cwd: string; readonly status: 'available'; readonly shell: string };
  };
  readonly current_date: string;
  readonly timezone: string;
}

export const environmentsSection: Section<EnvironmentFact, StoredEnvironments> = {
  id: 'environments',

  of: ({ envelope: { workspace }, facts }) => ({
    cwd: workspace.cwd,
    shell: workspace.shell.name,
    date: facts.date,
    timezone: workspace.timezone,
  }),

  stored: ({ cwd, shell, date, timezone }) => ({
    environments: { local: { cwd, status: 'available', shell } },
    current_date: date,
    timezone,
  }),

  read(stored) {
    const fact = readFact(stored);
    return fact === undefined ? undefined : environmentsSection.stored(fact);
  },

  full: (now) => [render(environmentFragment, now)],

  change(before, now) {
    if (now === undefined) return [render(environmentWithdrawnFragment, undefined)];
    const told = before === unknown ? undefined : readFact(before);
    if (told === undefined) return environmentsSection.full(now);
    const news = difference(told, now);
    return Object.keys(news).length === 0 ? [] : [render(environmentFragment, news)];
  },
};

/**
 * Undefined for several environments and for values that we never tell (another program told the model about its file
 * system or network here): then only the full form is safe.
 */
function readFact(stored: Json): EnvironmentFact | undefined {
  if (!isJsonObject(stored) || Object.keys(stored).some((key) => !ownKeys.has(key))) return undefined;
  const environments = objectAt(stored, 'environments');
  const local = environments === undefined ? undefined : objectAt(environments, 'local');
  if (environments === undefined || local === undefined || Object.keys(environments).length !== 1) return undefined;
  const [cwd, shell] = [stringAt(local, 'cwd'), stringAt(local, 'shell')];
  const [date, timezone] = [stringAt(stored, 'current_date'), stringAt(stored, 'timezone')];
  if (cwd === undefined || shell === undefined || date === undefined || timezone === undefined) return undefined;
  return { cwd, shell, date, timezone };
}

const ownKeys: ReadonlySet<string> = new Set(['environments', 'current_date', 'timezone']);

function difference(before: EnvironmentFact, now: EnvironmentFact): EnvironmentText {
  return {
    ...(before.cwd === now.cwd ? {} : { cwd: now.cwd }),
    ...(before.shell === now.shell ? {} : { shell: now.shell }),
    ...(before.date === now.date ? {} : { date: now.date }),
    ...(before.timezone === now.timezone ? {} : { timezone: now.timezone }),
  };
}
