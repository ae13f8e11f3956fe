/** What the service says of a key that it does not take, and what to do. */
const remedies: Readonly<Record<string, string>> = {
  unauthenticated: 'is not accepted; it may be mistyped, revoked or expired',
  scope_missing: 'lacks a scope; checks need `check`, a plan by name needs `plan:select`',
  forbidden: 'may not do this',
  tenant_suspended: 'belongs to a tenant that is suspended',
};

/**
 * Until somebody mends it nothing is limited, or everything is refused: decisions say why in
 * `degradedReason`, which nobody may look at. So a client says it once, also in production.
 */
export function warnOfKey(reason: string, told: Set<string>): void {
  const remedy = remedies[reason];
  if (remedy === undefined || told.has(reason)) return;
  told.add(reason);
  globalThis.process?.emitWarning?.(
    `The API key of this client ${remedy}. Until then \`onStoreFailure\` decides every check.`,
    { type: 'SluiceWarning', code: 'SLUICE_KEY' },
  );
}
