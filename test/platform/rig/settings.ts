/** As in the environment. */
export type Settings = Readonly<Record<string, string>>;

export const baseSettings: Settings = {
  SLUICE_HTTP_ADDR: '127.0.0.1:0',
  SLUICE_GRPC_ADDR: '127.0.0.1:0',
  SLUICE_DRAIN_SECONDS: '0',
  SLUICE_DEMO: 'off',
  // Busy machines answer late, and a test that is not about that must not see it.
  SLUICE_STORE_DEADLINE_MS: '5000',
  SLUICE_SHED_DELAY_MS: '60000',
};
