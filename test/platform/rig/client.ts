import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** The fields that tests read. */
type Field =
  | 'active'
  | 'after'
  | 'allowed'
  | 'basis'
  | 'blocked_by'
  | 'code'
  | 'cost'
  | 'costs'
  | 'decision_id'
  | 'degraded'
  | 'degraded_reason'
  | 'dependencies'
  | 'detail'
  | 'done'
  | 'errors'
  | 'expires_at'
  | 'findings'
  | 'finished_at'
  | 'items'
  | 'last_used_at'
  | 'limit'
  | 'limits'
  | 'message'
  | 'mode'
  | 'name'
  | 'next_cursor'
  | 'plan_id'
  | 'plans'
  | 'publication'
  | 'published'
  | 'ready'
  | 'reason'
  | 'remaining'
  | 'replayed'
  | 'request_id'
  | 'reset_at'
  | 'retry_after_ms'
  | 'status'
  | 'tenant_id'
  | 'total'
  | 'usage'
  | 'version'
  | 'would_block'
  | 'debt'
  | 'late'
  | 'refunded'
  | 'released'
  | 'renewed'
  | 'reservation'
  | 'settled'
  | 'ticket';

/** What a test expects of a field, the test says. */
export type Body = Readonly<Record<Field, never> & Record<'id' | 'key' | 'token', string>>;

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  readonly text: string;
};

export type Asking = {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is when it is text, else as JSON. */
  readonly body?: unknown;
};

/** Hears of every answer, with the path as it was asked for. */
export type AnswerWatch = (method: string, path: string, answer: Answer) => void;

export type TenantFields = {
  readonly name?: string;
  readonly tier?: string;
  readonly limits?: readonly object[];
  readonly scopes?: readonly string[];
};

/** A tenant with a plan and a key, made for one test. */
export type MadeTenant = {
  readonly id: string;
  readonly planId: string | null;
  readonly key: string;
  readonly keyId: string;
};

const wideLimit = { name: 'wide', algorithm: 'fixed_window', limit: 1_000_000, window_seconds: 60 };

/** Speaks to a node as its users do: by HTTP. */
export class NodeClient {
  readonly url: string;
  readonly #adminToken: string;
  readonly #watch: AnswerWatch;

  constructor(url: string, adminToken: string, watch: AnswerWatch = () => {}) {
    this.url = url;
    this.#adminToken = adminToken;
    this.#watch = watch;
  }

  async ask(method: string, path: string, { headers, body }: Asking = {}): Promise<Answer> {
    const sent: string = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: sent }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : {},
      text,
    };
    this.#watch(method, path, answer);
    return answer;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.ask('GET', path, { headers });
  }

  /** `POST /v1/check`. */
  check(key: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    return this.ask('POST', '/v1/check', { body, headers: { 'x-api-key': key, ...headers } });
  }

  /** `POST /v1/checks`. */
  checks(key: string, checks: unknown, headers: Readonly<Record<string, string>> = {}) {
    const asking = { body: { checks }, headers: { 'x-api-key': key, ...headers } };
    return this.ask('POST', '/v1/checks', asking);
  }

  /** `POST /v1/settle` and the like. */
  follow(key: string, verb: 'settle' | 'release' | 'heartbeat' | 'refund', body: unknown) {
    return this.ask('POST', `/v1/${verb}`, { body, headers: { 'x-api-key': key } });
  }

  /** Below `/v1/admin/`, with the node's own token. */
  admin(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    return this.ask(method, `/v1/admin/${path}`, {
      body,
      headers: { authorization: `Bearer ${this.#adminToken}`, ...headers },
    });
  }

  /** The same, and it must succeed. */
  async change(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await this.admin(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** Until every tenant knows of what is shared by all. */
  async published(): Promise<void> {
    for (let waitedMs = 0; waitedMs < 20_000; waitedMs += 20) {
      const { items } = await this.change('GET', 'publications?limit=100');
      const open = (items as { finished_at: string | null }[]).filter((one) => !one.finished_at);
      if (open.length === 0) return;
      await sleep(20);
    }
    throw new Error('What is shared was not published in time.');
  }

  async makeTenant(fields: TenantFields = {}): Promise<MadeTenant> {
    const { name = `tenant ${randomUUID()}`, tier, limits = [wideLimit], scopes } = fields;
    const tenant = await this.change('POST', 'tenants', { name, ...(tier && { tier }) });
    const id: string = tenant['id'];
    const planId = limits.length === 0 ? null : await this.#putOnPlan(id, limits);
    const made = await this.change('POST', 'keys', {
      tenant_id: id,
      name: 'test',
      ...(scopes && { scopes }),
    });
    return { id, planId, key: made['key'], keyId: made['id'] };
  }

  async #putOnPlan(tenantId: string, limits: readonly object[]): Promise<string> {
    const plan = await this.change('POST', 'plans', { tenant_id: tenantId, name: 'own', limits });
    await this.change('PATCH', `tenants/${tenantId}`, { plan_id: plan['id'] });
    return plan['id'];
  }
}
