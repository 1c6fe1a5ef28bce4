/**
 * Suites that a whole `npm test` leaves to `npm run test:deep`: large files, a failing disk or terminal, models
 * that lie or never end at a checkpoint, threads over every wire format, most laws, tables of options, turns in unusual
 * circumstances, and whole sessions of the terminal. The fast suites prove the same parts on plainer ways.
 * `vitest run FILE` and `npm test FILE` run any of them.
 */
export const lateSuites: readonly string[] = [
  'test/exec-bad-input/*.test.ts',
  'test/sandbox/{container,network-filter,network-lists}.test.ts',
  'test/compaction/{adversary-*,endless-checkpoints,failures,hooks,loop-guard,no-usage,opaque-*,overflow,parity,paste,unexplained-refusal}.test.ts',
  'test/compaction/conversations/*.test.ts',
  'test/formats/!(alternating-roles).test.ts',
  'test/tui/!(conversation|small-screens).test.ts',
  'test/tui/commands/*.test.ts',
  'test/mcp-tools/{questions,threads}.test.ts',
  'test/threads/{compact-command,operations,pages,printed-commands,unanswered}.test.ts',
  'test/exec/{approvals,code-review,login,options,other-provider,terminal}.test.ts',
  'test/mcp-server/{command,http-guard}.test.ts',
  'test/mcp/{hostile-logins,mcp-approvals,mcp-news}.test.ts',
  'test/commands/{completion,sandbox-programs}.test.ts',
  'test/context/{all-planes,bad-input,odd-usage,override-settings,shown-truth,waiting}.test.ts',
  'test/laws/!(prefix-bytes|section-law|section-order|thread-laws).test.ts',
  'test/{agents/bounded-agents,cost/fallback,fragments/catalog,goals/not-pursued,network/exec}.test.ts',
  'test/providers/{other-model,signs-of-life}.test.ts',
  'test/{replay/rerun,rollout/store-contract,shell/real-bash,tokens/estimate-law}.test.ts',
  'test/tools/{stopped-sessions,told-approvals,told-network,tool-choice}.test.ts',
  'test/workspace/{files-put-back,restore-law}.test.ts',
  'test/compaction/{meanwhile,rollback}.test.ts',
  'test/{live/{interrupt,whole},agents/agent-roles,memory/write,skills/every-window,exec/login-shell}.test.ts',
  'test/{context/{asks,edges-model},threads/odd-items,workspace/{own-home,files-changed-beside}}.test.ts',
  'src/core/compaction/candidates/unlike-lines.test.ts',
  'src/core/policy/rules/limits.test.ts',
  'src/adapters/{gather/config/edit-rules-file,model/long-borders,rollout/lines/split-lines,skills/skill-head}.test.ts',
  'src/adapters/exec/{sessions,process-guard}.test.ts',
  'src/core/policy/{grants/granted-policy,paths/special-places}.test.ts',
  'src/adapters/rollout/{files/compressed-file,lines/read-lines,lines/read-tail}.test.ts',
];
