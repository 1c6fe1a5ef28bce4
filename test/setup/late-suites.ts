/**
 * Suites that a whole `npm test` leaves to `npm run test:deep`: attacks, large files, a failing disk or terminal, models
 * that lie or never end at a checkpoint, threads over every wire format, and whole sessions of the terminal. The fast
 * suites prove the same parts on plainer ways.
 * `vitest run FILE` and `npm test FILE` run any of them.
 */
export const lateSuites: readonly string[] = [
  'test/security/**/*.test.ts',
  'test/exec-bad-input/*.test.ts',
  'test/sandbox/network-lists.test.ts',
  'test/compaction/{adversary-*,endless-checkpoints,loop-guard,opaque-checkpoints,unexplained-refusal}.test.ts',
  'test/compaction/conversations/*.test.ts',
  'test/formats/!(turns|alternating-roles).test.ts',
  'test/tui/!(conversation|composer|small-screens).test.ts',
  'test/tui/commands/*.test.ts',
  'test/mcp-tools/questions.test.ts',
  'test/threads/printed-commands.test.ts',
  'test/exec/terminal.test.ts',
  'src/rollout/compressed/compressed-file.test.ts',
];
