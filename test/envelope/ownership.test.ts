import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { consumerRoles, consumers as consumerFiles } from '../../src/envelope/consumers.ts';
import { type Ownership, ownership } from '../../src/envelope/ownership.ts';
import { isJsonObject } from '../../src/protocol/json.ts';
import { ownershipDocument, rewriteCommand } from './document.ts';
import { envelopeReads } from './envelope-reads.ts';
import { fullEnvelope } from './full-envelope.ts';

const root = join(import.meta.dirname, '../..');
const rows = new Map<string, Ownership>(ownership.map((row) => [row.field, row]));
const reads = readsOfAllSources();

describe('the map of the envelope', () => {
  test('has a row for every field of an envelope with everything in it, and no other', () => {
    expect(fieldsOf(fullEnvelope())).toEqual(ownership.map(({ field }) => field));
  });

  test('gives every field a consumer, or says what it waits for', () => {
    const idle = ownership.filter(({ consumers, awaits }) => consumers.length === 0 && awaits === undefined);
    expect(idle).toEqual([]);
  });

  test('names as consumers only sources that read the field', () => {
    const claims = ownership.flatMap(({ field, consumers }) =>
      consumers.flatMap((path) => (isRead(path, field) ? [] : [`${path} does not read ${field}`])),
    );
    expect(claims).toEqual([]);
  });

  test('names every source that reads a field', () => {
    const missing = [...reads].flatMap(([path, own]) =>
      own.flatMap((read) =>
        ownership.flatMap(({ field, consumers }) =>
          meets(read, field) && !consumers.includes(path)
            ? [`${path} reads ${read}, and is not in the row ${field}`]
            : [],
        ),
      ),
    );
    expect(missing).toEqual([]);
  });

  test('knows every consumer by what it does, and none without need', () => {
    const named = new Set(ownership.flatMap(({ consumers }) => consumers));
    expect(Object.keys(consumerRoles).toSorted()).toEqual([...named].toSorted());
    expect(Object.values(consumerFiles).toSorted()).toEqual([...named].toSorted());
  });

  test('the raw window of a model is read where budgets are made, and nowhere else', () => {
    const readers = [...reads].filter(([, own]) =>
      own.some((read) => /^identity\.model\.(?:max)?contextWindow$/i.test(read)),
    );
    expect(readers.map(([path]) => path)).toEqual(['src/envelope/window.ts']);
  });

  test('docs/envelope.md is what the map says', async () => {
    await expect(ownershipDocument(), `docs/envelope.md is stale: run ${rewriteCommand}`).toMatchFileSnapshot(
      join(root, 'docs/envelope.md'),
    );
  });
});

describe('the reader of sources', () => {
  test('follows the envelope by name, by type and by what is taken out of it', () => {
    const source = `
      import type { Envelope } from '../envelope/envelope.ts';
      import type { Window } from '../envelope/window.ts';
      import type { Policy } from '../elsewhere/policy.ts';
      const a = (turn) => turn.envelope.identity.model.slug;
      const b = ({ envelope: { modes, workspace: { cwd: folder } } }) => [modes.leaveOut.includes('x'), folder];
      function c({ telemetry, ...rest }: Envelope, { effective: most }: Window): number {
        const { turnId } = telemetry;
        return use(turnId, most, rest);
      }
      function d(policy: Policy) { return policy.resolved; }
      function e(policy) { return policy.profile; }
      const f = (stored) => { const window = stored as unknown as Window; return window.toolOutput; };
      const list = ['identity.effort', 'window'];
      const record = { modes: { review: false } };
    `;
    expect(envelopeReads('src/thread/a.ts', source)).toEqual([
      'identity.effort',
      'identity.model.slug',
      'modes.leaveOut',
      'telemetry.turnId',
      'window',
      'window.effective',
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

/** Parts that are handed on whole to a function that says in its types what it takes: there the reads are seen. */
const handedOn = new Set(['identity.model', 'instructions.user']);

function meets(read: string, field: string): boolean {
  if (handedOn.has(read)) return false;
  return read === field || read.startsWith(`${field}.`) || field.startsWith(`${read}.`);
}

function isRead(path: string, field: string): boolean {
  return (reads.get(path) ?? []).some((read) => meets(read, field));
}

function readsOfAllSources(): ReadonlyMap<string, readonly string[]> {
  const paths = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  return new Map(paths.map((path) => [path, envelopeReads(path, readFileSync(join(root, path), 'utf8'))]));
}
