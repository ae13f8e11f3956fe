import { describe, expect, it } from 'vitest';
import { Shedder, type ShedReport, type ShedStart } from './shedder.ts';

const targetMs = 30;
const tickMs = 100;

type Rates = Readonly<Record<string, number>>;

/** A process that can do so much, and callers who each come on a connection of their own. */
class Plant {
  nowMs = Date.UTC(2026, 10, 16, 12);
  readonly begun: ShedStart[] = [];
  readonly ended: ShedReport[] = [];
  readonly shedder: Shedder;
  #backlogMs = 0;

  constructor(options: { readonly inFlightMax?: number; readonly heldMax?: number } = {}) {
    this.shedder = new Shedder({
      targetMs,
      nowMs: () => this.nowMs,
      onBegin: (start) => this.begun.push(start),
      onEnd: (report) => this.ended.push(report),
      ...options,
    });
  }

  tick(delayMs: number): void {
    this.nowMs += tickMs;
    this.shedder.delayed(delayMs);
  }

  ticks(delayMs: number, count: number): void {
    for (let tick = 0; tick < count; tick += 1) this.tick(delayMs);
  }

  /** The part of a tier's subjects that is served now. */
  servedOf(tier: string, subjects = 1000): number {
    let served = 0;
    for (let at = 0; at < subjects; at += 1) {
      if (this.shedder.admits(tier, 'tenant', `subject ${at}`)) served += 1;
    }
    return served / subjects;
  }

  /** All of them call, as they do all the time. */
  callAll(...tiers: readonly string[]): void {
    for (const tier of tiers) this.shedder.called(tier);
  }

  /**
   * One second of so many calls of each tier in a tick. A decided one takes a share of the tick, a
   * refused one less; who is held back does not call meanwhile.
   */
  second(rates: Rates, costs: { readonly decided: number; readonly refused: number }) {
    const totals = new Map<string, { offered: number; served: number }>();
    for (let tick = 0; tick < 10; tick += 1) {
      for (const [tier, rate] of Object.entries(rates)) {
        const total = totals.get(tier) ?? { offered: 0, served: 0 };
        totals.set(tier, total);
        const heldMs = this.shedder.isShedding ? this.#holdMs() : 0;
        const part = this.servedOf(tier, 200);
        const refused = (rate * (1 - part)) / (1 + heldMs / 10);
        total.offered += rate * part + refused;
        total.served += rate * part;
        this.#backlogMs += (rate * part * costs.decided + refused * costs.refused) * tickMs;
      }
      // Nobody has more than one call waiting.
      this.#backlogMs = Math.min(400, Math.max(0, this.#backlogMs - tickMs));
      this.tick(this.#backlogMs);
    }
    return totals;
  }

  #holdMs(): number {
    const holdMs = this.shedder.hold();
    if (holdMs > 0) this.shedder.letGo();
    return holdMs;
  }
}

describe('while the event loop is in time', () => {
  it('everybody is served, and nobody asks who calls', () => {
    const plant = new Plant();
    plant.ticks(targetMs, 100);
    expect(plant.shedder.isOpen).toBe(true);
    expect(plant.servedOf('free')).toBe(1);
    expect(plant.begun).toEqual([]);
  });
});

describe('an event loop that stays late while nobody calls', () => {
  it('as when it starts, leaves the first who does alone', () => {
    const plant = new Plant();
    plant.ticks(targetMs * 20, 50);
    expect(plant.shedder.isOpen).toBe(true);
    expect(plant.servedOf('free')).toBe(1);
    expect(plant.begun).toEqual([]);
  });
});

describe('an event loop that stays late', () => {
  it('takes from the lowest tier alone, step by step, the more the later it is', () => {
    const [slightly, badly] = [new Plant(), new Plant()];
    for (const plant of [slightly, badly]) plant.callAll('free', 'enterprise');
    slightly.ticks(targetMs + 1, 3);
    badly.ticks(targetMs * 5, 3);
    expect(slightly.servedOf('free')).toBeCloseTo(0.9 ** 3, 1);
    expect(badly.servedOf('free')).toBeCloseTo(0.7 ** 3, 1);
    expect(badly.servedOf('enterprise')).toBe(1);
    expect(badly.begun).toEqual([{ delayMs: targetMs * 5, inFlight: 0 }]);
  });

  it('takes as much at once where it is so late that it is seldom heard of', () => {
    const [often, seldom] = [new Plant(), new Plant()];
    for (const plant of [often, seldom]) plant.callAll('free', 'enterprise');
    often.ticks(targetMs * 20, 5);
    seldom.nowMs += 400;
    seldom.tick(targetMs * 20);
    expect(seldom.servedOf('free')).toBe(often.servedOf('free'));
    expect(seldom.servedOf('free')).toBeCloseTo(0.7 ** 5, 1);
  });

  it('refuses the same subjects whenever they ask, and others of other tenants', () => {
    const plant = new Plant();
    plant.callAll('free', 'business');
    plant.ticks(targetMs * 5, 2);
    const asked = Array.from({ length: 200 }, (_, at) => `subject ${at}`);
    const served = (tenant: string) =>
      asked.filter((subject) => plant.shedder.admits('free', tenant, subject));
    expect(served('a')).toEqual(served('a'));
    expect(served('a')).not.toEqual(served('b'));
    plant.nowMs += 3_600_000;
    expect(served('a').length).toBeGreaterThan(50);
  });

  it('serves at least as many of a tier when there is more room, and those from before', () => {
    const plant = new Plant();
    plant.callAll('free', 'business');
    plant.ticks(targetMs * 5, 4);
    const asked = Array.from({ length: 500 }, (_, at) => `subject ${at}`);
    const before = asked.filter((subject) => plant.shedder.admits('free', 't', subject));
    plant.ticks(0, 30);
    const after = asked.filter((subject) => plant.shedder.admits('free', 't', subject));
    expect(after).toEqual(expect.arrayContaining(before));
    expect(after.length).toBeGreaterThan(before.length);
  });

  it('holds refusals back, longer and longer, before it touches the next tier', () => {
    const plant = new Plant();
    const holds: number[] = [];
    for (let tick = 0; tick < 200 && plant.servedOf('starter', 200) === 1; tick += 1) {
      plant.callAll('free', 'starter', 'enterprise');
      plant.tick(targetMs * 5);
      const holdMs = plant.shedder.hold();
      if (holdMs > 0) plant.shedder.letGo();
      plant.servedOf('enterprise', 2000);
      holds.push(holdMs);
    }
    expect(plant.servedOf('starter', 200)).toBeLessThan(1);
    expect(holds).toEqual(holds.toSorted((a, b) => a - b));
    expect([holds[0], holds.at(-1)]).toEqual([(targetMs * 5) / 2, 1000]);
    // Long enough to see whether it helps: until its last turn, and then the step that is seen here.
    expect(holds.filter((holdMs) => holdMs === 1000).length).toBeGreaterThanOrEqual(11);
    expect(plant.servedOf('free')).toBe(0);
    expect(plant.servedOf('enterprise')).toBe(1);
  });

  it('leaves higher tiers alone while most of the work is to refuse those below', () => {
    const plant = new Plant();
    for (let tick = 0; tick < 300; tick += 1) {
      plant.servedOf('free', 100);
      expect(plant.servedOf('starter', 20)).toBe(1);
      expect(plant.servedOf('enterprise', 20)).toBe(1);
      plant.tick(targetMs * 5);
    }
    expect(plant.servedOf('free')).toBe(0);
  });

  it('goes past tiers that nobody calls for', () => {
    const plant = new Plant();
    for (let tick = 0; tick < 5; tick += 1) {
      plant.callAll('enterprise', 'business');
      plant.tick(targetMs * 5);
    }
    expect(plant.servedOf('business')).toBeLessThan(0.5);
    expect(plant.servedOf('enterprise')).toBe(1);
  });

  it.each(['enterprise', 'free', 'a tier of their own'])(
    'leaves a tenth where all are %s',
    (tier) => {
      const plant = new Plant();
      for (let tick = 0; tick < 300; tick += 1) {
        plant.callAll(tier);
        plant.tick(targetMs * 10);
      }
      expect(plant.servedOf(tier)).toBeCloseTo(0.1, 1);
    },
  );

  it('takes unknown tiers for the lowest', () => {
    const plant = new Plant();
    plant.callAll('gold', 'starter');
    plant.ticks(targetMs * 5, 4);
    expect(plant.servedOf('gold')).toBeLessThan(0.5);
    expect(plant.servedOf('starter')).toBe(1);
  });
});

describe('when it is in time again', () => {
  function overloaded(): Plant {
    const plant = new Plant();
    plant.callAll('free', 'business');
    plant.ticks(targetMs * 5, 10);
    return plant;
  }

  it('waits, and then lets in bit by bit until all are served', () => {
    const plant = overloaded();
    const low = plant.servedOf('free');
    plant.ticks(0, 9);
    expect(plant.servedOf('free')).toBe(low);
    for (let tick = 0; tick < 20; tick += 1) {
      plant.callAll('free');
      plant.tick(0);
    }
    expect(plant.servedOf('free')).toBeGreaterThan(low);
    expect(plant.servedOf('free')).toBeLessThan(0.4);
    for (let tick = 0; tick < 100; tick += 1) {
      plant.callAll('free');
      plant.tick(0);
    }
    expect(plant.shedder.isOpen).toBe(true);
    expect(plant.servedOf('free')).toBe(1);
  });

  it('changes nothing while it is neither late nor in time', () => {
    const plant = overloaded();
    const served = plant.servedOf('free');
    for (let tick = 0; tick < 100; tick += 1) {
      plant.callAll('free');
      plant.tick(targetMs * 0.9);
    }
    expect(plant.servedOf('free')).toBe(served);
  });

  it('says once how long it took and how many were refused', () => {
    const plant = overloaded();
    const refused = Math.round(1000 * (1 - plant.servedOf('free')));
    for (let tick = 0; tick < 200; tick += 1) {
      plant.callAll('free');
      plant.tick(0);
    }
    expect(plant.begun).toHaveLength(1);
    expect(plant.ended).toHaveLength(1);
    expect(plant.ended[0]?.shed).toEqual({ enterprise: 0, business: 0, starter: 0, free: refused });
    expect(plant.ended[0]?.durationMs).toBeGreaterThan(5000);
  });

  it('is over at once where nobody calls any more', () => {
    const plant = overloaded();
    plant.ticks(0, 40);
    expect(plant.shedder.isOpen).toBe(true);
  });
});

describe('checks in flight', () => {
  it('leave the last places to the higher tiers, and none beyond the bound to anybody', () => {
    const plant = new Plant({ inFlightMax: 100 });
    const served = () =>
      ['free', 'starter', 'business', 'enterprise'].map((t) => plant.servedOf(t));
    plant.shedder.entered(49);
    expect(plant.shedder.isOpen).toBe(true);
    plant.shedder.entered(1);
    expect(plant.shedder.isOpen).toBe(false);
    expect(served()).toEqual([0, 1, 1, 1]);
    plant.shedder.entered(20);
    expect(served()).toEqual([0, 0, 1, 1]);
    plant.shedder.entered(15);
    expect(served()).toEqual([0, 0, 0, 1]);
    plant.shedder.entered(15);
    expect(served()).toEqual([0, 0, 0, 0]);
    plant.shedder.left(99);
    expect(served()).toEqual([1, 1, 1, 1]);
    expect(plant.begun).toEqual([{ delayMs: 0, inFlight: 50 }]);
    plant.ticks(0, 12);
    expect(plant.shedder.isOpen).toBe(true);
    expect(plant.ended).toHaveLength(1);
  });
});

it('no more refusals are held back at once than there is room for', () => {
  const plant = new Plant({ heldMax: 2 });
  for (let tick = 0; tick < 40; tick += 1) {
    plant.callAll('free');
    plant.tick(targetMs * 5);
  }
  expect([plant.shedder.hold(), plant.shedder.hold()]).toEqual([1000, 1000]);
  expect(plant.shedder.hold()).toBe(0);
  plant.shedder.letGo();
  expect(plant.shedder.hold()).toBe(1000);
});

describe('at three times what the process can do', () => {
  // A tick has room for 100 decided ones; to refuse costs half of that.
  const costs = { decided: 1 / 100, refused: 1 / 200 };
  const rates = { enterprise: 20, business: 20, starter: 20, free: 240 };

  it('higher tiers are served, the lowest pays, and little of the room is lost', () => {
    const plant = new Plant();
    for (let second = 0; second < 10; second += 1) plant.second(rates, costs);
    let served = 0;
    const shed = new Map<string, number>();
    for (let second = 0; second < 30; second += 1) {
      for (const [tier, total] of plant.second(rates, costs)) {
        served += total.served;
        shed.set(tier, (shed.get(tier) ?? 0) + total.offered - total.served);
      }
    }
    const all = [...shed.values()].reduce((sum, count) => sum + count, 0);
    expect(shed.get('enterprise')).toBe(0);
    expect((shed.get('free') ?? 0) / all).toBeGreaterThanOrEqual(0.95);
    expect(served / (30 * 10 * 100)).toBeGreaterThanOrEqual(0.8);
  });

  it('is back to serving everybody half a minute after it is over', () => {
    const plant = new Plant();
    for (let second = 0; second < 10; second += 1) plant.second(rates, costs);
    expect(plant.shedder.isShedding).toBe(true);
    for (let second = 0; second < 30; second += 1) plant.second({ ...rates, free: 20 }, costs);
    expect(plant.shedder.isOpen).toBe(true);
  });
});
