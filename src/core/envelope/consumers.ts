/**
 * The sources that read the envelope: purpose, path, and the parts they read. A test finds the parts and writes them
 * anew with `npm test -- test/envelope/ownership.test.ts -u`; the purpose is written by hand.
 */
export const consumerTable = `
request builder | src/engine/thread/request/model-request.ts | identity.client.name identity.client.version identity.effort identity.model.maxOutputTokens identity.model.parallelCalls identity.model.slug identity.sampling identity.serviceTier identity.summary identity.verbosity modes.cyberAccessProgram modes.outputSchema policy.limits
spending | src/engine/thread/request/spending-limits.ts | identity.model.slug identity.price identity.provider policy.limits
compactor | src/engine/thread/checkpoint/compact.ts | window.effective workspace.cwd
compactor | src/engine/thread/checkpoint/install-checkpoint.ts | identity.model.slug instructions.base.text instructions.model window.effective
compactor | src/engine/thread/turn/refused-as-too-long.ts | identity.model.slug identity.provider window.effective
token count | src/engine/thread/context/token-estimates.ts | instructions.base.text
rollout | src/engine/thread/thread-opening.ts | identity.client.name identity.client.version identity.provider identity.sessionSource identity.threadSource instructions.base.provenance instructions.base.text telemetry.startedAt workspace.cwd
rollout | src/core/state/drafts/turn-lines.ts | capabilities.clientTools capabilities.onlyTools capabilities.withoutTools identity.askedTier identity.chosen identity.effort identity.model.slug identity.provider identity.serviceTier identity.summary instructions.compactPrompt instructions.developer modes.collaboration.asked modes.collaboration.given modes.collaboration.instructions modes.collaboration.mode modes.cyberAccessProgram modes.personality modes.realtime.active policy.approval policy.approvedPrefixes policy.askedApproval policy.askedPrefixes policy.askedProfile policy.changesNothing policy.networkRules policy.profile policy.reviewer policy.rules policy.shellEnvironment telemetry.origins telemetry.startedAt telemetry.turnId window window.effective workspace.cwd workspace.date workspace.places workspace.roots workspace.timezone
identity and rollout | src/core/envelope/model-record.ts | identity.model.compatibility identity.model.defaultEffort identity.model.defaultSummary identity.model.defaultVerbosity identity.model.modalities identity.model.sources
telemetry | src/engine/thread/request/model-exchange.ts | identity.client identity.effort identity.model.slug identity.modelClient identity.provider telemetry.threadId telemetry.traceId telemetry.turnId window.configured
token count | src/engine/thread/record/record-usage.ts | identity.price window.baseline window.effective
history | src/engine/thread/record/record-items.ts | window.effective window.toolOutput
settings event | src/engine/thread/context/preview-request.ts | instructions.base telemetry.threadId workspace.date
model switch | src/engine/thread/turn/open-turn.ts | capabilities.imageGeneration capabilities.modalities capabilities.tools capabilities.webSearch identity.chosen.effort identity.client identity.effort identity.model.slug identity.model.supportedEfforts identity.serviceTier identity.summary identity.verbosity modes.collaboration modes.collaboration.asked modes.collaboration.mode window
notices | src/engine/thread/thread-settings.ts | identity.model.guessed identity.model.serviceTiers
refusals | src/engine/thread/turn/prompt-size.ts | identity.model.slug window.effective
check of the answer | src/engine/thread/turn/settle-turn.ts | identity.client.name modes.outputSchema workspace.cwd
undo of files | src/engine/thread/turn-effects.ts | policy.resolved policy.sandboxLevel workspace.cwd
identity | src/core/envelope/identity.ts | identity.model.defaultEffort identity.model.guessed identity.model.modes identity.model.serviceTiers identity.model.slug identity.model.supportedEfforts
instructions | src/core/envelope/workspace-and-instructions.ts | identity.model.instructions identity.model.slug instructions.base.provenance instructions.base.text workspace.cwd workspace.trust
policy | src/core/envelope/policy.ts | identity.model.slug workspace.places
capabilities | src/core/envelope/capabilities.ts | identity.model.editTools identity.model.imageGeneration identity.model.modalities identity.model.webSearch policy.approval policy.canAsk policy.changesNothing policy.hasUser policy.sandboxLevel
window | src/core/envelope/window.ts | identity.model.autoCompactTokens identity.model.contextWindow identity.model.effectivePercent identity.model.guessed identity.model.maxContextWindow identity.model.slug identity.model.sources identity.model.truncation.limit identity.model.truncation.mode identity.provider window.autoCompactScope window.configured window.effective window.mostAutoCompact window.shares
context updater | src/core/envelope/environment.ts | policy.approval policy.canAsk policy.networkProxy policy.resolved workspace.cwd workspace.roots workspace.shell.name workspace.timezone
context updater | src/core/world/sections/environments.ts | modes.leaveOut
context updater | src/core/world/sections/permissions.ts | modes.collaboration.mode modes.leaveOut policy.answersOnce policy.approval policy.approvedPrefixes policy.canAsk policy.resolved policy.rules workspace.cwd
context updater | src/core/world/sections/modes.ts | identity.model.slug modes.collaboration.instructions modes.collaboration.mode modes.leaveOut modes.personality modes.realtime
context updater | src/core/world/sections/model.ts | identity.model.instructions identity.model.slug instructions.base instructions.model
context updater | src/core/world/sections/instructions.ts | instructions.developer instructions.managed
context updater | src/core/world/sections/plugins-and-apps.ts | capabilities.apps capabilities.plugins modes.leaveOut
context updater | src/core/world/sections/skills.ts | modes.leaveOut
step | src/engine/thread/context/current-step.ts | capabilities.editTools capabilities.features modes.collaboration.mode policy.resolved telemetry.threadId window.effective window.skills workspace.cwd
sandbox executor | src/adapters/tools/exec-command.ts | capabilities.tools policy.shellEnvironment telemetry.threadId window.toolOutput workspace.cwd workspace.shell.path
patch tool | src/adapters/tools/apply-patch/prepare-patch.ts | window.toolOutput workspace.cwd
patch tool | src/adapters/tools/apply-patch/apply-patch-tool.ts | workspace.cwd
image tool | src/adapters/tools/view-image.ts | workspace.cwd
plan tool | src/adapters/tools/question-and-plan-tools.ts | telemetry.turnId
AGENTS.md | src/adapters/gather/instruction-files.ts | instructions.user.cwd instructions.user.fallbackFilenames instructions.user.maxBytes instructions.user.rootMarkers instructions.user.trusted
AGENTS.md | src/engine/thread-setup/create-thread-parts.ts | policy.resolved window.effective
capstan context | src/surfaces/views/context/window-view.ts | window.autoCompact window.baseline window.compactionReserve window.effective window.memory window.skills window.toolOutput.limit window.toolOutput.mode
request builder | src/core/envelope/envelope.ts | capabilities.onlyTools capabilities.withoutTools identity.address identity.chosen.effort identity.model.compatibility identity.model.slug identity.modelClient identity.provider modes.collaboration.mode policy.approval policy.askedProfile policy.changesNothing policy.profile workspace.cwd
compactor | src/engine/thread/context/window-use.ts | capabilities.tools identity.model.slug identity.provider window.baseline window.configured window.effective
tools of a program | src/adapters/tools/own-tool.ts | capabilities.modalities telemetry.threadId telemetry.turnId workspace.cwd
contract of the current step | src/engine/thread/context/turn-contract.ts | capabilities.modalities capabilities.tools identity.model.compatibility identity.model.slug instructions.base instructions.base.text instructions.compactPrompt modes.compaction policy.approvedPrefixes policy.rules window.autoCompact window.autoCompactScope window.checkpoint window.compactionReserve window.effective
request builder | src/engine/thread/turn/model-step.ts | capabilities.modalities window.effective
steering | src/engine/thread/client-input.ts | identity.model.slug modes.outputSchema window.effective
compactor | src/engine/thread/checkpoint/compact-when-full.ts | instructions.base.text window.autoCompact window.autoCompactScope window.configured window.effective window.mostAutoCompact
call pipeline | src/engine/thread/calls/perform-call.ts | policy.approval policy.profile policy.resolved workspace.cwd workspace.places
capstan envelope | src/surfaces/views/threads/envelope-page.ts | telemetry.origins
compactor | src/engine/thread/checkpoint/compact-when-full.ts | instructions.base.text window.autoCompact window.autoCompactScope window.configured window.effective window.mostAutoCompact
permission requests | src/adapters/tools/request-permissions.ts | workspace.cwd
call pipeline | src/engine/thread/calls/decide-call.ts | policy.approval policy.changesNothing policy.profile policy.resolved policy.shellEnvironment workspace.cwd
reviewer | src/engine/thread/calls/review-call.ts | identity.model.supportedEfforts policy.approval policy.profile policy.resolved policy.reviewPolicy window.effective workspace.cwd
call pipeline | src/engine/thread/calls/grant-call.ts | policy.resolved
call pipeline | src/engine/thread/calls/calls.ts | policy.profile policy.resolved
sessions of commands | src/engine/thread/turn/turn-sessions.ts | policy.approval policy.profile workspace.places
hooks | src/engine/thread/hooks/run-hooks.ts | identity.model.slug modes.collaboration.mode policy.approval window.effective workspace.cwd
MCP tools | src/adapters/tools/mcp-tools.ts | capabilities.modalities telemetry.threadId telemetry.turnId
call pipeline | src/engine/thread/calls/ask-during-call.ts | policy.approval
skills | src/engine/thread/record/record-skills.ts | modes.leaveOut window.effective window.skills
tools for agents | src/adapters/tools/agent-tools.ts | telemetry.turnId
tools of clients | src/adapters/tools/client-tool.ts | capabilities.modalities
memory | src/engine/memory/thread-memories.ts | identity.model.supportedEfforts
goals | src/engine/thread/goal/goal.ts | capabilities.tools modes.collaboration.mode telemetry.startedAt
goals | src/adapters/tools/goal-tools.ts | telemetry.threadId
hooks | src/engine/thread/hooks/call-hooks.ts | policy.changesNothing
reads the facts of git for the first line | src/engine/thread-setup/open-thread.ts | policy.resolved workspace.cwd
what servers say of models | src/engine/models/provider-models.ts | identity.model.guessed
tools | src/engine/thread-setup/thread-tools.ts | identity.model.editTools
file tools | src/adapters/tools/file-tools.ts | workspace.cwd
what servers say of models | src/engine/models/home-models.ts | identity.model.guessed identity.model.modalities identity.model.sources
warnings | src/engine/thread/request/request-warnings.ts | identity.model.slug identity.provider
compactor | src/engine/thread/checkpoint/choose-readable-history.ts | identity.model.slug identity.provider
`;
