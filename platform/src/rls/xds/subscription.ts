import type { DiscoveryCall, DiscoveryRequest, DiscoveryResponse } from './protocol.ts';
import { configTypeUrl } from './protocol.ts';

/** Null where a response was taken; else what is wrong, and how long to wait before saying so. */
export type Refusal = { readonly problem: string; readonly waitMs: number };

export type SubscriptionParts = {
  readonly nodeId: string;
  readonly take: (response: DiscoveryResponse) => Refusal | null;
};

const invalidArgument = 3;
const problemLengthMax = 1000;

/**
 * One stream: asks for all there is, whatever was known before (a server that began anew may call
 * other rules by the same version), and answers each state of the world that comes.
 */
export class Subscription {
  readonly #call: DiscoveryCall;
  readonly #take: SubscriptionParts['take'];
  #accepted = '';
  #refusing: NodeJS.Timeout | null = null;

  constructor(call: DiscoveryCall, { nodeId, take }: SubscriptionParts) {
    this.#call = call;
    this.#take = take;
    call.on('data', (response: DiscoveryResponse) => this.#answer(response));
    this.#send({ node: { id: nodeId, user_agent_name: 'sluice' } });
  }

  /** Nothing is said any more. */
  close(): void {
    if (this.#refusing) clearTimeout(this.#refusing);
  }

  #answer(response: DiscoveryResponse): void {
    // The response before it is no longer waited for.
    this.close();
    const { version_info = '', nonce = '' } = response;
    const refusal = this.#take(response);
    if (!refusal) {
      this.#accepted = version_info;
      this.#send({ response_nonce: nonce });
      return;
    }
    const message = refusal.problem.slice(0, problemLengthMax);
    const refuse = () =>
      this.#send({ response_nonce: nonce, error_detail: { code: invalidArgument, message } });
    if (refusal.waitMs === 0) return refuse();
    this.#refusing = setTimeout(refuse, refusal.waitMs);
    this.#refusing.unref();
  }

  #send(request: Omit<DiscoveryRequest, 'type_url' | 'version_info'>): void {
    this.#call.write({ ...request, version_info: this.#accepted, type_url: configTypeUrl });
  }
}
