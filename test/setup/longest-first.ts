import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest suites first: one that begins last runs alone at the end. */
const long: readonly string[] = [
  // Deep tests of a minute and more.
  'test/deep/thread-laws.test.ts',
  'test/oracles/apply-patch-fuzz.test.ts',
  'test/deep/rollout-fuzz.test.ts',
  'test/deep/crash.test.ts',
  'test/oracles/checkpoints.test.ts',
  'test/deep/compaction-kill.test.ts',
  'test/deep/thread-kill.test.ts',
  'test/deep/journal-kill.test.ts',
  'test/oracles/mcp/conformance-of-client.test.ts',
  // Fast tests of five seconds and more, in each group of suites.
  'test/demo/demo.test.ts',
  'src/adapters/exec/sessions.test.ts',
  'test/sandbox/linux-sandbox.test.ts',
  'src/adapters/exec/node-spawn.test.ts',
  'test/mcp-server/http-guard.test.ts',
  'test/sandbox/network-lists.test.ts',
  'test/compaction/no-usage.test.ts',
  'test/mcp-server/command.test.ts',
  'test/exec/exec.test.ts',
  'test/threads/operations.test.ts',
  'test/mcp-tools/questions.test.ts',
  'test/exec/options.test.ts',
  'test/formats/turns.test.ts',
  'test/security/typed-commands.test.ts',
  'test/exec/approvals.test.ts',
  'test/workspace/undo.test.ts',
  'test/threads/printed-commands.test.ts',
  'test/security/planted-secrets.test.ts',
  'test/tools/sessions.test.ts',
  'test/security/git-beside-session.test.ts',
  'test/hooks/call-hooks.test.ts',
  'test/formats/compaction.test.ts',
  'test/compaction/conversations/conversations.test.ts',
  'test/laws/thread-laws.test.ts',
  'test/compaction/opaque-checkpoints.test.ts',
  'test/compaction/adversary-refusals.test.ts',
  'test/compaction/loop-guard.test.ts',
  'test/laws/planes-law.test.ts',
  'test/compaction/adversary-tasks.test.ts',
];

/** Vitest goes by what its last run has measured; on a fresh clone there is none. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line no-array-sort -- no method of an array
    const others = await super.sort(files);
    const first = long.flatMap((name) => others.filter(({ moduleId }) => moduleId.endsWith(`/${name}`)));
    return [...first, ...others.filter((file) => !first.includes(file))];
  }
}
