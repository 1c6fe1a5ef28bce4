import { agentsMdFragment } from '../../src/fragments/sections/agents-md.ts';
import { approvedPrefixesFragment } from '../../src/fragments/sections/approved-prefixes.ts';
import { appsGuidanceFragment } from '../../src/fragments/sections/apps-guidance.ts';
import { checkpointIntentFragment } from '../../src/fragments/checkpoint/checkpoint-intent.ts';
import { checkpointRecordsFragment } from '../../src/fragments/checkpoint/checkpoint-records.ts';
import { checkpointSummaryFragment } from '../../src/fragments/checkpoint/checkpoint-summary.ts';
import { collaborationModeFragment } from '../../src/fragments/sections/collaboration-mode.ts';
import { deferredToolsFragment } from '../../src/fragments/sections/deferred-tools.ts';
import { type Fragment, render } from '../../src/fragments/text/define.ts';
import * as developer from '../../src/fragments/sections/developer-instructions.ts';
import { environmentFragment } from '../../src/fragments/sections/environment.ts';
import * as environments from '../../src/fragments/sections/environments-guidance.ts';
import { goalFragment } from '../../src/fragments/events/goal-words.ts';
import { hookContextFragment, hookPromptFragment } from '../../src/fragments/events/hook-words.ts';
import { interAgentMessageFragment } from '../../src/fragments/events/inter-agent-message.ts';
import * as managed from '../../src/fragments/sections/managed-instructions.ts';
import { modelSwitchFragment } from '../../src/fragments/sections/model-switch.ts';
import * as multiAgent from '../../src/fragments/sections/multi-agent.ts';
import { networkRulesFragment } from '../../src/fragments/sections/network-rules.ts';
import { grantedPermissionsFragment } from '../../src/fragments/sections/granted-permissions.ts';
import { permissionsFragment } from '../../src/fragments/sections/permissions.ts';
import { personalityFragment, personalityText } from '../../src/fragments/sections/personality.ts';
import { pinnedNotesFragment } from '../../src/fragments/sections/pinned-notes.ts';
import { pluginHintFragment } from '../../src/fragments/events/plugin-hint.ts';
import { pluginsGuidanceFragment } from '../../src/fragments/sections/plugins-guidance.ts';
import { realtimeEndFragment, realtimeStartFragment } from '../../src/fragments/sections/realtime.ts';
import { realtimeDelegationFragment } from '../../src/fragments/events/realtime-delegation.ts';
import * as recommended from '../../src/fragments/sections/recommended-plugins.ts';
import { mcpInstructionsFragment, mcpServersFragment } from '../../src/fragments/sections/mcp-servers.ts';
import { memoryFragment } from '../../src/fragments/sections/memory.ts';
import { sessionContextFragment } from '../../src/fragments/sections/session-context.ts';
import { skillBodyFragment } from '../../src/fragments/events/skill-body.ts';
import { skillHintFragment } from '../../src/fragments/events/skill-hint.ts';
import { skillsCatalogueFragment } from '../../src/fragments/sections/skills.ts';
import { subagentNotificationFragment } from '../../src/fragments/events/subagent-notification.ts';
import { turnContinuedFragment } from '../../src/fragments/events/turn-continued.ts';
import { filesChangedBesideFragment } from '../../src/fragments/events/files-changed-beside.ts';
import { filesPutBackFragment } from '../../src/fragments/events/files-put-back.ts';
import { sessionsEndedFragment } from '../../src/fragments/events/sessions-ended.ts';
import { agentsElsewhereFragment } from '../../src/fragments/events/agents-elsewhere.ts';
import { knownAgentsFragment } from '../../src/fragments/sections/known-agents.ts';
import { sessionsFragment } from '../../src/fragments/sections/sessions.ts';
import { generatedImagesFragment } from '../../src/fragments/events/generated-images.ts';
import { newRepositoriesFragment } from '../../src/fragments/events/new-repositories.ts';
import { turnAbortedFragment } from '../../src/fragments/events/turn-aborted.ts';
import { imageResizeNoticeFragment } from '../../src/fragments/events/image-resize-notice.ts';
import { unusableImagesFragment } from '../../src/fragments/events/unusable-images.ts';
import type { TurnId } from '../../src/protocol/ids.ts';
import { userActionFragment } from '../../src/fragments/events/user-action.ts';
import { userShellCommandFragment } from '../../src/fragments/events/user-shell-command.ts';

/** One rendering of every kind, as the document shows it. */
export const examples: readonly Fragment[] = [
  render(modelSwitchFragment, { model: 'MODEL', guidance: { kind: 'text', text: 'GUIDANCE FOR THIS MODEL' } }),
  render(personalityFragment, { name: 'pragmatic', text: personalityText('pragmatic') }),
  render(personalityFragment.withdrawn, undefined),
  render(realtimeStartFragment, {}),
  render(realtimeEndFragment, {}),
  render(developer.developerInstructionsFragment, { text: 'CONFIGURED TEXT', replaces: true }),
  render(developer.developerInstructionsFragment.withdrawn, undefined),
  render(sessionContextFragment, { texts: ['FIRST HOOK', 'SECOND HOOK'], replaces: true }),
  render(sessionContextFragment.withdrawn, undefined),
  render(agentsMdFragment, { directory: '/repo', text: 'TEXT OF THE FILES', replaces: true }),
  render(agentsMdFragment.withdrawn, undefined),
  render(pinnedNotesFragment, { notes: ['FIRST NOTE', 'SECOND NOTE'], replaces: true }),
  render(pinnedNotesFragment.withdrawn, undefined),
  render(skillsCatalogueFragment, {
    roots: [{ alias: 'r0', path: '/skills' }],
    skills: [
      { name: 'release', description: 'How to make a release', path: 'r0/release/SKILL.md' },
      { name: 'calendar:plan', description: '', path: '/plugins/calendar/skills/plan/SKILL.md' },
    ],
    left: 2,
  }),
  render(skillsCatalogueFragment.withdrawn, undefined),
  render(mcpInstructionsFragment, {
    instructions: [{ server: 'docs', text: 'TEXT OF THE SERVER' }],
    replaces: false,
  }),
  render(mcpInstructionsFragment.withdrawn, undefined),
  render(mcpServersFragment, {
    notes: [
      {
        server: 'mail',
        problem: 'The MCP server "mail" did not start: it exited with code 1.',
        changed: '',
        gone: '',
        unasked: '',
      },
      {
        server: 'docs',
        problem: '',
        changed: 'mcp__docs__find(query: string, limit?: number)',
        gone: 'mcp__docs__list',
        unasked: 'mcp__docs__write',
      },
    ],
    replaces: false,
  }),
  render(mcpServersFragment.withdrawn, undefined),
  render(memoryFragment, { summary: 'SUMMARY OF EARLIER THREADS', folder: '/home/memories', replaces: false }),
  render(memoryFragment.withdrawn, undefined),
  render(sessionsFragment, {
    sessions: [{ id: 4242, command: 'npm start', since: '2026-11-16T09:30Z' }],
    replaces: true,
  }),
  render(sessionsFragment.withdrawn, undefined),
  render(knownAgentsFragment, {
    agents: [{ path: '/root/reader', role: 'explorer', stands: 'working' }],
    replaces: false,
  }),
  render(knownAgentsFragment.withdrawn, undefined),
  render(permissionsFragment, {
    mode: 'workspace-write',
    network: 'restricted',
    approval: 'on-request',
    canAsk: true,
    writableRoots: ['/repo'],
    readOnlyPaths: ['/repo/.git'],
    keptGlobs: ['/repo/**/.git'],
    sockets: [],
    readablePaths: [],
    deniedGlobs: ['/repo/**/*.pem'],
    ownPaths: ['/home/me/.capstan/auth.json'],
    deniedPaths: ['/repo/.env'],
    readsEverything: true,
    missingRoots: ['/srv/cache'],
    approvedPrefixes: [['git', 'pull']],
    held: { forbidden: [['rm', ['-rf', '-fr']]], asked: [['git', 'push']] },
  }),
  render(permissionsFragment.withdrawn, undefined),
  render(approvedPrefixesFragment, { added: [['npm', 'run', 'lint']], where: 'outside', explained: true }),
  render(grantedPermissionsFragment, {
    now: {
      mode: 'workspace-write',
      network: 'restricted',
      approval: 'on-request',
      canAsk: true,
      sockets: [],
      opened: { network: 'enabled', sockets: [] },
      granted: { session: { network: true, write: ['/srv/cache'] } },
    },
    changed: ['network', 'session', 'turn'],
  }),
  render(networkRulesFragment, { rules: 'RULES OF AN EARLIER VERSION' }),
  render(collaborationModeFragment, { mode: 'plan', instructions: 'TEXT OF THE MODE' }),
  render(collaborationModeFragment.withdrawn, undefined),
  render(environmentFragment, {
    cwd: '/repo',
    shell: 'bash',
    date: '2026-11-16',
    timezone: 'Europe/Oslo',
    approvalPolicy: 'on-request',
    sandboxMode: 'workspace-write',
    networkAccess: 'restricted',
    writableRoots: ['/repo', '/tmp'],
    workspaceRoots: ['/repo'],
    deniedPaths: ['/repo/private'],
    reopenedPaths: ['/repo/private/shared'],
    allowedDomains: ['example.org'],
    deniedDomains: [],
  }),
  render(environmentFragment.withdrawn, undefined),
  render(environments.environmentsGuidanceFragment, undefined),
  render(environments.environmentsGuidanceFragment.withdrawn, undefined),
  render(appsGuidanceFragment, undefined),
  render(appsGuidanceFragment.withdrawn, undefined),
  render(pluginsGuidanceFragment, undefined),
  render(pluginsGuidanceFragment.withdrawn, undefined),
  render(recommended.recommendedPluginsFragment, { plugins: [{ name: 'Calendar', id: 'calendar@shop' }] }),
  render(recommended.recommendedPluginsFragment.withdrawn, undefined),
  render(deferredToolsFragment, {
    kind: 'change',
    added: [{ name: 'calendar', description: 'Reads and writes dates.' }],
    removed: ['mail'],
  }),
  render(deferredToolsFragment.withdrawn, undefined),
  render(multiAgent.multiAgentRoleFragment, { text: 'TEXT OF THE ROLE', concurrency: 4 }),
  render(multiAgent.multiAgentRoleFragment.withdrawn, undefined),
  render(multiAgent.multiAgentModeFragment, { kind: 'explicit' }),
  render(multiAgent.multiAgentModeFragment.withdrawn, undefined),
  render(managed.managedInstructionsFragment, { text: 'MANAGED TEXT', replaces: true }),
  render(managed.managedInstructionsFragment.withdrawn, undefined),
  render(turnAbortedFragment, 'interrupted'),
  render(turnContinuedFragment, 'after-failure'),
  render(filesPutBackFragment, {
    before: { turnId: 'TURN' as TurnId, number: 3, words: 'Rewrite the parser' },
    restored: ['/repo/parser.ts'],
    deleted: ['/repo/lexer.ts'],
  }),
  render(filesChangedBesideFragment, {
    changes: [
      { path: '/repo/parser.ts', kind: 'update' },
      { path: '/repo/lexer.ts', kind: 'delete' },
    ],
    commands: 2,
  }),
  render(sessionsEndedFragment, { why: 'gone', sessions: [{ id: 4242, command: 'npm start' }] }),
  render(agentsElsewhereFragment, { paths: ['/root/reader'] }),
  render(newRepositoriesFragment, { folders: ['/repo/clone'] }),
  render(generatedImagesFragment, { paths: ['/home/ann/.capstan/generated_images/01a1e497/ig_1.png'] }),
  render(skillBodyFragment, { name: 'release', path: '/skills/release/SKILL.md', contents: 'TEXT OF THE SKILL' }),
  render(skillHintFragment, {
    skills: [{ name: 'release', description: 'How to make a release', path: '/skills/release/SKILL.md' }],
  }),
  render(pluginHintFragment, { name: 'calendar', skillPrefix: 'calendar:', apps: ['dates'], servers: ['caldav'] }),
  render(hookContextFragment, { text: 'WHAT THE HOOK PRINTED' }),
  render(hookPromptFragment, { runId: 'RUN', prompt: 'Run the tests first.' }),
  render(goalFragment, { about: 'goes-on', objective: 'Make it green', used: 1000, budget: 5000 }),
  render(subagentNotificationFragment, {
    agentPath: '/root/reader',
    status: { kind: 'completed', answer: 'Nothing found.' },
  }),
  render(interAgentMessageFragment, { type: 'NEW_TASK', taskName: 'reader', sender: '/root', payload: 'Read it.' }),
  render(realtimeDelegationFragment, { input: 'Fix the test.', transcriptDelta: 'user: the test is red' }),
  render(unusableImagesFragment, { paths: ['notes.png'] }),
  render(imageResizeNoticeFragment, { images: [{ number: 1, from: '4000x3000', to: '1829x1371' }] }),
  render(userActionFragment, { action: 'review', context: 'The user started a review.', results: 'No faults.' }),
  render(userShellCommandFragment, { command: 'npm test', exitCode: 1, seconds: 2.5, output: '1 failed' }),
  render(checkpointIntentFragment, {
    rows: [
      {
        kind: 'message',
        number: 1,
        text: 'REQUEST OF THE USER',
        task: 'chosen',
        pictures: [],
        pictureCount: 0,
        picturesLeftOut: 0,
        alsoIn: [],
      },
      { kind: 'gap', count: 3, tokens: 5200, from: 2, to: 4 },
      {
        kind: 'message',
        number: 5,
        text: 'WORDS OF THE USER',
        pictures: [],
        pictureCount: 0,
        picturesLeftOut: 1,
        alsoIn: [],
      },
    ],
    chosenBy: 'MODEL',
    readAll: 'capstan threads export THREAD --format markdown',
  }),
  render(checkpointRecordsFragment, {
    plan: [
      { text: 'Read the parser', status: 'completed' },
      { text: 'Write the test', status: 'in-progress' },
    ],
    files: [{ path: '/repo/parser.ts', kind: 'update' }],
    putBack: [{ path: '/repo/lexer.ts', isDeleted: true, before: 3 }],
    tokens: 4000,
  }),
  render(checkpointSummaryFragment, {
    by: 'model',
    model: 'MODEL',
    context: 'CONTEXT FOR THE TASK',
    results: [],
    summary: 'SUMMARY BY THE MODEL\nRESUME_AT: NEXT STEP',
  }),
];
