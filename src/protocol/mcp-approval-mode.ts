/** When a call of a server's tool is asked about: by what the tool says of itself, always, unless it only reads, never. */
export type McpApprovalMode = 'auto' | 'prompt' | 'writes' | 'approve';
