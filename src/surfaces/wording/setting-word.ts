const words: Readonly<Record<string, string>> = {
  cwd: 'folder',
  approvals: 'approval',
  collaboration: 'mode',
  serviceTier: 'service tier',
  approvedPrefixes: 'approved commands',
  networkRules: 'network rules',
  developerInstructions: 'developer instructions',
  compactPrompt: 'compact prompt',
  onlyTools: 'only tools',
  withoutTools: 'tools left out',
  changesNothing: 'changes nothing',
};

/** What users call a setting. */
export function settingWord(name: string): string {
  return words[name] ?? name;
}
