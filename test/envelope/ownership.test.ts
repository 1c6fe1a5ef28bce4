import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { consumerTable } from '../../src/core/envelope/consumers.ts';
import { mapFieldOwnership, type FieldOwnership, fieldOwnership } from '../../src/core/envelope/ownership.ts';
import { isJsonObject } from '../../src/protocol/json.ts';
import { consumersSource, tableNow, unknownRole } from './consumers-source.ts';
import { ownershipDocument, rewriteCommand } from './document.ts';
import { envelopeReads } from './envelope-reads.ts';
import { fullEnvelope } from './full-envelope.ts';

const root = join(import.meta.dirname, '../..');
const rows = new Map<string, FieldOwnership>(fieldOwnership.map((row) => [row.field, row]));
const reads = readsOfAllSources();
const currentTable = tableNow(consumerTable, reads);

describe('the map of the envelope', () => {
  test('has a row for every field of an envelope with everything in it, and no other', () => {
    expect(fieldsOf(fullEnvelope())).toEqual(fieldOwnership.map(({ field }) => field));
  });

  test('gives every field a consumer, or says what it waits for', () => {
    const idle = fieldOwnership.filter(({ consumers, awaits }) => consumers.length === 0 && awaits === undefined);
    expect(idle).toEqual([]);
  });

  test('names the sources that read a field, and no others', async () => {
    await expect(consumersSource(currentTable), `stale: run ${rewriteCommand}`).toMatchFileSnapshot(
      join(root, 'src/core/envelope/consumers.ts'),
    );
  });

  test('knows every consumer by what it does', () => {
    expect(consumerTable.split('\n').filter((row) => row.startsWith(unknownRole))).toEqual([]);
  });

  test('the raw window of a model is read where budgets are made, and nowhere else', () => {
    const readers = [...reads].filter(([, own]) =>
      own.some((read) => /^identity\.model\.(?:max)?contextWindow$/i.test(read)),
    );
    expect(readers.map(([path]) => path)).toEqual(['src/core/envelope/window.ts']);
  });

  test('docs/envelope.md is what the map says', async () => {
    await expect(
      ownershipDocument(mapFieldOwnership(currentTable)),
      `docs/envelope.md is stale: run ${rewriteCommand}`,
    ).toMatchFileSnapshot(join(root, 'docs/envelope.md'));
  });
});

describe('the table of consumers', () => {
  const table = 'first | src/a.ts | policy.approval\nsecond | src/b.ts | window';
  const madeOf = (reads: Readonly<Record<string, readonly string[]>>): readonly string[] =>
    tableNow(table, new Map(Object.entries(reads)))
      .trim()
      .split('\n');

  test('keeps its order and what is written by hand, and shows a reader of which nothing is said', () => {
    const made = madeOf({
      'src/c.ts': ['workspace.cwd'],
      'src/b.ts': ['window'],
      'src/a.ts': ['policy.resolved.files'],
    });
    expect(made).toEqual([
      'first | src/a.ts | policy.resolved',
      'second | src/b.ts | window',
      '? | src/c.ts | workspace.cwd',
    ]);
  });

  test('follows a source that was moved, and forgets one that reads nothing any more', () => {
    expect(madeOf({ 'src/b.ts': [], 'src/deep/a.ts': ['policy.approval'] })).toEqual([
      'first | src/deep/a.ts | policy.approval',
    ]);
  });
});

describe('the reader of sources', () => {
  test('follows the envelope by name, by type and by what is taken out of it', () => {
    const source = `
      import type { Envelope } from '../envelope/envelope.ts';
      import type { ContextWindow } from '../envelope/window.ts';
      import type { Policy } from '../elsewhere/policy.ts';
      import type { Step } from '../envelope/step.ts';
      const a = (turn) => turn.envelope.identity.model.slug;
      const b = ({ envelope: { modes, workspace: { cwd: folder } } }) => [modes.leaveOut.includes('x'), folder];
      function c({ telemetry, ...rest }: Envelope, { effective: most }: ContextWindow): number {
        const { turnId } = telemetry;
        return use(turnId, most, rest);
      }
      function d(policy: Policy) { return policy.resolved; }
      function e(policy) { return policy.profile; }
      const f = (stored) => { const window = stored as unknown as ContextWindow; return window.toolOutput; };
      const g = (step: Step, { envelope: { policy: rules }, window: { memory }, index }: Step) =>
        [step.facts, step.window.skills, rules.approval, memory, index];
      const h = (turn) => [contextWindowNow(turn).baseline, instructionsNow(turn).text];
      const list = ['identity.effort', 'window'];
      const record = { modes: { review: false } };
    `;
    expect(envelopeReads('src/thread/a.ts', source)).toEqual([
      'identity.effort',
      'identity.model.slug',
      'instructions.base.text',
      'modes.leaveOut',
      'policy.approval',
      'telemetry.turnId',
      'window',
      'window.baseline',
      'window.effective',
      'window.memory',
      'window.skills',
      'window.toolOutput',
      'workspace.cwd',
    ]);
  });
});

/** Names of fields in the order of the value; a field with a row is one value, whatever is in it. */
function fieldsOf(value: unknown, prefix = ''): readonly string[] {
  if (rows.has(prefix) || !isJsonObject(value)) return [prefix];
  return Object.entries(value).flatMap(([key, member]) => fieldsOf(member, prefix === '' ? key : `${prefix}.${key}`));
}

function readsOfAllSources(): ReadonlyMap<string, readonly string[]> {
  const paths = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  return new Map(paths.map((path) => [path, envelopeReads(path, readFileSync(join(root, path), 'utf8'))]));
}
