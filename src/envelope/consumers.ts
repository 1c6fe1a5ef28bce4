/**
 * Which sources read the envelope: what each does, its path, and the parts that it reads. The parts are found by a test,
 * which writes them anew with `npm test -- test/envelope/ownership.test.ts -u`; what a source does is written by hand.
 */
export const consumerTable = `
request builder | src/thread/request/request-options.ts | identity.client.name identity.client.version identity.effort identity.model.maxOutputTokens identity.model.parallelCalls identity.model.slug identity.sampling identity.serviceTier identity.summary identity.verbosity modes.cyberAccessProgram modes.outputSchema
spending | src/thread/request/admit.ts | policy.limits
spending | src/thread/request/limit-reached.ts | identity.model.slug identity.price identity.provider policy.limits
compactor | src/thread/checkpoint/checkpoint-hooks.ts | workspace.cwd
compactor | src/thread/checkpoint/install-checkpoint.ts | identity.model.slug instructions.base.text instructions.model window.effective
compactor | src/thread/turn/overflow.ts | identity.model.slug identity.provider window.effective
token count | src/thread/contract/active-now.ts | instructions.base.text
rollout | src/thread/record/session-meta.ts | identity.client.name identity.client.version identity.provider identity.sessionSource identity.threadSource instructions.base.provenance instructions.base.text telemetry.startedAt workspace.cwd
rollout | src/state/turn-drafts.ts | capabilities.clientTools capabilities.onlyTools capabilities.withoutTools identity.askedTier identity.chosen identity.effort identity.model.slug identity.provider identity.serviceTier identity.summary instructions.compactPrompt instructions.developer modes.collaboration.asked modes.collaboration.given modes.collaboration.instructions modes.collaboration.mode modes.cyberAccessProgram modes.personality modes.realtime.active policy.approval policy.approvedPrefixes policy.askedApproval policy.askedPrefixes policy.askedProfile policy.changesNothing policy.networkRules policy.profile policy.reviewer telemetry.origins telemetry.startedAt telemetry.turnId window.effective workspace.cwd workspace.date workspace.places workspace.roots workspace.timezone
identity and rollout | src/envelope/model-record.ts | identity.model.compatibility identity.model.defaultEffort identity.model.defaultSummary identity.model.defaultVerbosity identity.model.modalities identity.model.sources
telemetry | src/thread/request/trace-step.ts | identity.effort identity.model.slug identity.modelClient identity.provider telemetry.threadId telemetry.traceId telemetry.turnId window.configured
token count | src/thread/record/record-usage.ts | window.baseline window.effective
history | src/thread/record/record.ts | window.effective window.toolOutput
settings event | src/thread/contract/preview.ts | instructions.base telemetry.threadId workspace.date
model switch | src/thread/turn/model-switch.ts | capabilities.imageGeneration capabilities.modalities capabilities.tools capabilities.webSearch identity.chosen.effort identity.effort identity.model.slug identity.model.supportedEfforts identity.serviceTier identity.summary identity.verbosity modes.collaboration modes.collaboration.asked modes.collaboration.mode window
notices | src/envelope/model-notices.ts | identity.model.guessed identity.model.serviceTiers
refusals | src/thread/turn/prompt-size.ts | identity.model.slug window.effective
check of the answer | src/thread/turn/settle.ts | modes.outputSchema
rollout | src/state/stored-envelope.ts | capabilities.clientTools policy.rules policy.shellEnvironment window
undo of files | src/thread/parts/turn-effects.ts | policy.resolved policy.sandboxLevel workspace.cwd
identity | src/envelope/identity.ts | identity.model.guessed identity.model.serviceTiers identity.model.slug
instructions | src/envelope/instructions.ts | identity.model.instructions identity.model.slug instructions.base.provenance instructions.base.text workspace.cwd workspace.trust
policy | src/envelope/policy.ts | identity.model.slug workspace.places
capabilities | src/envelope/capabilities.ts | identity.model.editTools identity.model.imageGeneration identity.model.modalities identity.model.webSearch
window | src/envelope/window.ts | identity.model.autoCompactTokens identity.model.contextWindow identity.model.effectivePercent identity.model.guessed identity.model.maxContextWindow identity.model.slug identity.model.sources identity.model.truncation.limit identity.model.truncation.mode identity.provider window.autoCompactScope window.configured window.effective window.mostAutoCompact window.shares
context updater | src/envelope/environment.ts | policy.approval policy.canAsk policy.networkProxy policy.resolved workspace.cwd workspace.roots workspace.shell.name workspace.timezone
context updater | src/world/sections/environments.ts | modes.leaveOut
context updater | src/world/sections/permissions.ts | modes.collaboration.mode modes.leaveOut policy.answersOnce policy.approval policy.approvedPrefixes policy.canAsk policy.resolved policy.rules workspace.cwd
context updater | src/world/sections/collaboration-mode.ts | modes.collaboration.instructions modes.collaboration.mode modes.leaveOut
context updater | src/world/sections/model.ts | identity.model.instructions identity.model.slug instructions.base instructions.model
context updater | src/world/sections/personality.ts | identity.model.slug modes.personality
context updater | src/world/sections/realtime.ts | modes.realtime
context updater | src/world/sections/developer-instructions.ts | instructions.developer
context updater | src/world/sections/managed-instructions.ts | instructions.managed
context updater | src/world/sections/apps.ts | capabilities.apps modes.leaveOut
context updater | src/world/sections/plugins.ts | capabilities.plugins
context updater | src/world/sections/skills.ts | modes.leaveOut
tool builder | src/thread/contract/step-now.ts | capabilities.editTools capabilities.features modes.collaboration.mode policy.resolved telemetry.threadId
sandbox executor | src/tools/exec-command/exec-command.ts | capabilities.tools policy.shellEnvironment telemetry.threadId window.toolOutput workspace.cwd workspace.shell.path
patch tool | src/tools/apply-patch/prepare-patch.ts | window.toolOutput workspace.cwd
patch tool | src/tools/apply-patch/apply-patch.ts | workspace.cwd
image tool | src/tools/view-image/view-image.ts | workspace.cwd
plan tool | src/tools/update-plan/update-plan.ts | telemetry.turnId
AGENTS.md | src/gather/instructions/find-instruction-files.ts | instructions.user.cwd instructions.user.fallbackFilenames instructions.user.maxBytes instructions.user.rootMarkers instructions.user.trusted
AGENTS.md | src/gather/instructions/instruction-document.ts | instructions.user.cwd instructions.user.maxBytes
AGENTS.md | src/surfaces/engine/thread-parts.ts | policy.resolved window.effective
capstan context | src/surfaces/context/budgets.ts | window.autoCompact window.baseline window.compactionReserve window.effective window.memory window.skills window.toolOutput.limit window.toolOutput.mode
capabilities | src/envelope/offered-tools.ts | identity.model.modalities policy.approval policy.canAsk policy.changesNothing policy.hasUser policy.sandboxLevel
request builder | src/envelope/provider-of.ts | identity.address identity.model.compatibility identity.model.slug identity.modelClient identity.provider
compactor | src/thread/contract/learned-window.ts | identity.model.slug identity.provider window.configured window.effective
tools of a program | src/tools/own-tool.ts | capabilities.modalities telemetry.threadId telemetry.turnId workspace.cwd
compactor | src/thread/checkpoint/compact.ts | window.effective
contract of now | src/thread/contract/contract-now.ts | capabilities.modalities capabilities.tools identity.model.compatibility identity.model.slug instructions.base instructions.base.text instructions.compactPrompt modes.compaction window.autoCompact window.autoCompactScope window.checkpoint window.compactionReserve window.effective
request builder | src/thread/turn/sample.ts | capabilities.modalities window.effective
steering | src/thread/steering.ts | identity.model.slug modes.outputSchema window.effective
compactor | src/thread/checkpoint/worth-compacting.ts | window.autoCompact window.autoCompactScope window.configured window.effective window.mostAutoCompact
call pipeline | src/thread/calls/held-threads.ts | policy.approval policy.profile policy.resolved workspace.cwd workspace.places
capstan envelope | src/surfaces/envelope/envelope-fields.ts | telemetry.origins
effort | src/envelope/effort.ts | identity.model.defaultEffort identity.model.guessed identity.model.slug identity.model.supportedEfforts
compactor | src/thread/checkpoint/compact-when-full.ts | instructions.base.text
request headers | src/thread/request/model-exchange.ts | identity.client
permission requests | src/tools/request-permissions/request-permissions.ts | workspace.cwd
call pipeline | src/thread/calls/decide-now.ts | policy.approval policy.changesNothing policy.profile policy.resolved policy.shellEnvironment workspace.cwd
reviewer | src/thread/review/ask-reviewer.ts | identity.model.supportedEfforts policy.approval policy.profile policy.resolved policy.reviewPolicy window.effective workspace.cwd
call pipeline | src/thread/calls/granted-call.ts | policy.resolved
usage of now | src/thread/contract/usage-now.ts | capabilities.tools window.baseline window.effective
call pipeline | src/thread/parts/rules-now.ts | policy.approvedPrefixes policy.rules
call pipeline | src/thread/calls/calls.ts | policy.profile policy.resolved
sessions of commands | src/thread/turn/begin-sessions.ts | policy.approval policy.profile workspace.places
hooks | src/thread/contract/session-context-now.ts | window.effective
hooks | src/thread/hooks/hook-input.ts | identity.model.slug modes.collaboration.mode policy.approval workspace.cwd
hooks | src/thread/hooks/run-hooks.ts | window.effective workspace.cwd
hooks | src/thread/turn/notify-end.ts | identity.client.name workspace.cwd
MCP tools | src/tools/mcp/mcp-tool.ts | capabilities.modalities telemetry.threadId telemetry.turnId
call pipeline | src/thread/calls/ask-elicitation.ts | policy.approval
skills | src/thread/contract/skills-now.ts | policy.resolved window.skills workspace.cwd
skills | src/thread/record/named-skills.ts | window.effective
tools for agents | src/tools/agents/agent-tool.ts | telemetry.turnId
skills | src/thread/record/skill-hints.ts | modes.leaveOut window.effective window.skills
modes | src/envelope/collaboration.ts | identity.model.modes
tools of clients | src/tools/client-tool/client-tool.ts | capabilities.modalities
memory | src/surfaces/engine/thread-memories.ts | identity.model.supportedEfforts
goals | src/thread/goal/goal-of-thread.ts | capabilities.tools modes.collaboration.mode telemetry.startedAt
goals | src/tools/goals/goal-tools.ts | telemetry.threadId
call pipeline | src/thread/calls/turn-granted.ts | policy.resolved
hooks | src/thread/hooks/question-hooks.ts | policy.changesNothing
tools for agents | src/envelope/agent-bounds.ts | capabilities.onlyTools capabilities.withoutTools identity.chosen.effort identity.model.slug identity.provider modes.collaboration.mode policy.approval policy.askedProfile policy.changesNothing policy.profile workspace.cwd
call pipeline | src/thread/calls/perform-call.ts | policy.approval
reads the facts of git for the first line | src/surfaces/engine/open-thread.ts | policy.resolved workspace.cwd
what servers say of models | src/surfaces/engine/provider-models.ts | identity.model.guessed
tools | src/surfaces/engine/lazy-edit-tools.ts | identity.model.editTools
edits | src/tools/edit-file/edit-file.ts | workspace.cwd
reads of files | src/tools/read-file/read-file.ts | workspace.cwd
searches | src/tools/search/search.ts | workspace.cwd
what servers say of models | src/surfaces/engine/home-models.ts | identity.model.guessed identity.model.modalities identity.model.sources
request headers | src/thread/turn/open-turn.ts | identity.client
warnings | src/thread/request/left-out-media.ts | identity.model.slug
warnings | src/thread/request/other-model.ts | identity.model.slug identity.provider
spending | src/thread/request/billing.ts | identity.price
compactor | src/thread/checkpoint/choose-way-to-read.ts | identity.model.slug identity.provider
`;
