import { afterAll, beforeAll } from 'vitest';
import type { Engine } from '../../../limiter/src/core/engine.ts';
import type { Actor, Role } from '../../../platform/src/control/actor.ts';
import { ApiKeys } from '../../../platform/src/control/api-keys/api-keys.ts';
import { Audit } from '../../../platform/src/control/audit/audit.ts';
import { Blocks } from '../../../platform/src/control/blocks/blocks.ts';
import { Counters, Explainer, standingLimits } from '../../../platform/src/decide/index.ts';
import { Promotions, Rollout } from '../../../platform/src/evidence/rollout/index.ts';
import { Seal, Snapshots, SourceReader, StoreTime } from '../../../platform/src/snapshot/index.ts';
import { poolAddresses } from '../../../platform/src/store/index.ts';
import { Changes } from '../../../platform/src/control/change.ts';
import { Publisher } from '../../../platform/src/control/epochs/publisher.ts';
import { Erasure, Receipts } from '../../../platform/src/evidence/index.ts';
import { receiptRowOf } from '../../../platform/src/evidence/receipts/receipt.ts';
import { subjectHashUnder } from '../../../platform/src/observe/index.ts';
import { blocked, eventOf } from '../../../platform/src/observe/test-events.ts';
import { Modes } from '../../../platform/src/control/modes/modes.ts';
import { Overrides } from '../../../platform/src/control/overrides/overrides.ts';
import { Plans } from '../../../platform/src/control/plans/plans.ts';
import { Policies } from '../../../platform/src/control/policies/policies.ts';
import { Pools } from '../../../platform/src/control/pools/pools.ts';
import { Publications } from '../../../platform/src/control/publications/publications.ts';
import { Quotas } from '../../../platform/src/control/quotas/quotas.ts';
import { Tenants } from '../../../platform/src/control/tenants/tenants.ts';
import { Tokens } from '../../../platform/src/control/tokens/tokens.ts';
import { UsageReports } from '../../../platform/src/control/usage/usage-reports.ts';
import { Webhooks } from '../../../platform/src/control/webhooks/webhooks.ts';
import {
  type Database,
  isUnavailable,
  sharedSecret,
} from '../../../platform/src/database/index.ts';
import { adminRoutes, type Control } from '../../../platform/src/doors/http/admin/index.ts';
import { standingsOf } from '../../../platform/src/decide/index.ts';
import type { Failures } from '../../../platform/src/doors/http/admin/authenticate.ts';
import { createServer, type HttpServer } from '../../../platform/src/doors/http/server.ts';
import { type DatabaseRig, onEveryDatabase } from '../../support/databases.ts';
import { type EngineKind, openEngine } from '../../support/engines.ts';
import type { FakeClock } from '../../support/fake-clock.ts';

/** Under which the rig derives the secrets of webhooks. */
export const webhookSecret = 'the secret of webhooks';

export const bootstrap = 'the-token-of-the-configuration';

/** As the rig hashes subjects. */
export const subjectHash = subjectHashUnder('the secret of subjects');

/** As `bootstrap`, for what is called without a door. */
export const owner: Actor = { id: 'bootstrap', role: 'owner', tenantId: null, requestId: null };

/** What answers have in common; a test that reads a field has sent what is answered with it. */
export type Body = {
  readonly id: string;
  readonly key: string;
  readonly token: string;
  readonly detail: string;
  readonly items: readonly Body[];
  readonly next_cursor: string | null;
  readonly publication: { readonly epoch: number };
  readonly replaces: { readonly id: string; readonly expires_at: string };
  readonly [field: string]: unknown;
};

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Body;
  readonly text: string;
};

export type Asking = {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** The admin routes on a database and an engine, as a node serves them. */
export class AdminRig {
  readonly app: HttpServer;
  readonly control: Control;
  readonly publisher: Publisher;
  readonly unexpected: unknown[];

  private constructor(parts: {
    readonly app: HttpServer;
    readonly control: Control;
    readonly publisher: Publisher;
    readonly unexpected: unknown[];
  }) {
    this.app = parts.app;
    this.control = parts.control;
    this.publisher = parts.publisher;
    this.unexpected = parts.unexpected;
  }

  static async open(
    { db }: Pick<Database, 'db'>,
    engine: Pick<Engine, 'publishEpoch' | 'inspect' | 'reset' | 'unblock' | 'counterName'>,
    {
      failures = { limitOf: () => null, count: () => {} },
      markSecret,
      webhookPrivate = false,
    }: {
      readonly failures?: Failures;
      /** Instead of the database's, where that is away. */
      readonly markSecret?: string;
      readonly webhookPrivate?: boolean;
    } = {},
  ): Promise<AdminRig> {
    const publisher = new Publisher(db, engine);
    const changes = new Changes({ db, publisher, hashName: subjectHash, onShared: () => {} });
    const receipts = new Receipts(db);
    const eraser = {
      name: 'receipts',
      erase: (tenantId: string, subject: string) =>
        receipts.erase(tenantId, subjectHash(tenantId, subject)),
    };
    const mark = { markSecret: markSecret ?? (await sharedSecret(db, 'key_id_secret')) };
    const snapshots = new Snapshots({
      reader: new SourceReader(db),
      cache: null,
      watch: () => {},
      tenantsMax: 100,
      time: new StoreTime(),
    });
    const counters = new Counters({ snapshots, engine, forget: async () => {} });
    const modes = new Modes({ db, changes });
    const rollout = new Rollout({ db, standing: standingLimits(snapshots), subjectDays: 30 });
    const control: Control = {
      explainer: new Explainer(snapshots),
      counters: { counters, changes },
      decisions: { receipts, erasure: new Erasure({ changes, erasers: [eraser], subjectHash }) },
      tenants: new Tenants({ db, changes }),
      plans: new Plans({ db, changes }),
      policies: new Policies({ db, changes }),
      overrides: new Overrides({ db, changes }),
      blocks: new Blocks({ db, changes }),
      modes,
      pools: new Pools({
        db,
        changes,
        addresses: poolAddresses,
        seal: new Seal('the secret of pools'),
        hasRedis: true,
        // Addresses of examples, where nobody answers.
        faultsOf: async () => [],
      }),
      rollout: { rollout, promotions: new Promotions({ rollout, modes }) },
      keys: new ApiKeys({ db, changes, ...mark }),
      tokens: new Tokens({ db, changes, ...mark, bootstrap }),
      audit: new Audit({ db }),
      publications: new Publications({ db }),
      quotas: new Quotas({ db, changes, readStanding: standingsOf(engine) }),
      usage: new UsageReports({ db, freshness: { of: async () => new Date() } }),
      webhooks: new Webhooks({
        db,
        changes,
        webhookSecret,
        allowPrivate: webhookPrivate,
      }),
    };
    const unexpected: unknown[] = [];
    const onUnexpected = (error: unknown) => void unexpected.push(error);
    const app = await createServer({ version: '0.0.0', isUnavailable, onUnexpected });
    await app.register(adminRoutes, { control, failures });
    await app.ready();
    return new AdminRig({ app, control, publisher, unexpected });
  }

  async ask(method: string, path: string, asking: Asking = {}): Promise<Answer> {
    const { token = bootstrap, body, headers = {} } = asking;
    const answer = await this.app.inject({
      method: method as 'GET',
      url: `/v1/admin/${path}`,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    });
    const isJson = String(answer.headers['content-type']).includes('json');
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: isJson ? answer.json<Body>() : ({} as Body),
      text: answer.body,
    };
  }

  get(path: string, asking?: Asking): Promise<Answer> {
    return this.ask('GET', path, asking);
  }

  post(path: string, body: unknown, asking?: Asking): Promise<Answer> {
    return this.ask('POST', path, { ...asking, body });
  }

  put(path: string, body: unknown, asking?: Asking): Promise<Answer> {
    return this.ask('PUT', path, { ...asking, body });
  }

  patch(path: string, body: unknown, asking?: Asking): Promise<Answer> {
    return this.ask('PATCH', path, { ...asking, body });
  }

  delete(path: string, asking?: Asking): Promise<Answer> {
    return this.ask('DELETE', path, asking);
  }

  /** A tenant of the test's own. */
  async makeTenant(fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { value } = await this.control.tenants.create(owner, { name: 'Acme', ...fields });
    return value.id;
  }

  /** The receipt of a refusal, by its id. */
  async makeReceipt(tenantId: string, subject = 'me', atMs = Date.now()): Promise<string> {
    const event = eventOf(blocked(), { tenant: tenantId, subject });
    const kept = { event, outcome: 'blocked', atMs, size: 0, repeats: 0, lastAtMs: atMs } as const;
    await this.control.decisions.receipts.write([receiptRowOf(kept, subjectHash)]);
    return event.decision.decisionId;
  }

  async makeToken(
    role: Role,
    tenantId: string | null = null,
  ): Promise<{ id: string; token: string }> {
    const { value } = await this.control.tokens.create(owner, {
      name: `${role} of a test`,
      role,
      tenant_id: tenantId,
    });
    return value;
  }
}

export type AdminSuite = {
  readonly admin: AdminRig;
  readonly rig: DatabaseRig;
  readonly engine: Engine;
  /** Of the engine; it stands still unless a test moves it. */
  readonly clock: FakeClock;
  /** As after a restart of the program. */
  restart(): Promise<void>;
};

/** Runs a suite on both databases. */
export function onEveryAdmin(
  name: string,
  suite: (suite: AdminSuite) => void,
  {
    engineKind = 'memory',
    webhookPrivate = false,
  }: { readonly engineKind?: EngineKind; readonly webhookPrivate?: boolean } = {},
): void {
  onEveryDatabase(name, (rig) => {
    let admin: AdminRig | undefined;
    let opened: Awaited<ReturnType<typeof openEngine>> | undefined;
    beforeAll(async () => {
      opened = await openEngine(engineKind);
      admin = await AdminRig.open(rig.database, opened.engine, { webhookPrivate });
    });
    afterAll(async () => {
      await admin?.app.close();
      await opened?.close();
    });
    suite({
      rig,
      get admin() {
        if (!admin) throw new Error('The routes are open within tests and hooks only.');
        return admin;
      },
      get engine() {
        if (!opened) throw new Error('The engine is open within tests and hooks only.');
        return opened.engine;
      },
      get clock() {
        if (!opened) throw new Error('The engine is open within tests and hooks only.');
        return opened.clock;
      },
      restart: async () => {
        await admin?.app.close();
        await rig.reopen();
        if (opened) admin = await AdminRig.open(rig.database, opened.engine, { webhookPrivate });
      },
    });
  });
}
