// `sluice/client`: the service over fetch, asked like a limiter in process: the same checks, the same
// decisions, the same port. A service that fails is a decision by the declared policy, never an
// exception. Runs wherever `fetch` does.

export { Client, type ClientOptions } from './client.ts';
export { createClient } from './create-client.ts';
