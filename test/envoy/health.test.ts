// Health and reflection beside the rate limit service, and how the door goes.

import { ReflectionServiceClient } from './reflection-client.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { failing, openDoor } from './rig.ts';

const notFound = 5;
const unimplemented = 12;
const names = ['', 'ratelimit', 'envoy.service.ratelimit.v3.RateLimitService'];

describe('E grpc.health.v1.Health', () => {
  it('follows rules and store, under all its names', async () => {
    let isThere = true;
    const { client, service } = await openDoor({}, { isStoreThere: () => isThere });
    const gateway = client();
    const said = () => Promise.all(names.map((name) => gateway.check(name)));
    expect(await said()).toEqual(names.map(() => 'SERVING'));
    isThere = false;
    expect(await said()).toEqual(names.map(() => 'NOT_SERVING'));
    isThere = true;
    service.isLoaded = false;
    expect(await said()).toEqual(names.map(() => 'NOT_SERVING'));
    service.isLoaded = true;
    expect(await said()).toEqual(names.map(() => 'SERVING'));
    await expect(gateway.check('other')).rejects.toMatchObject(failing(notFound));
  });

  it('tells who watches of every change, and lets go of them at the end', async () => {
    let isThere = true;
    const { client, door } = await openDoor({}, { isStoreThere: () => isThere });
    const heard: string[] = [];
    const ended = client().watch('ratelimit', (status) => heard.push(status));
    const until = async (count: number) => {
      while (heard.length < count) await sleep(10);
    };
    await until(1);
    isThere = false;
    await until(2);
    isThere = true;
    await until(3);
    await door.drain.start();
    await ended;
    expect(heard).toEqual(['SERVING', 'NOT_SERVING', 'SERVING', 'NOT_SERVING']);
  });
});

describe('reflection', () => {
  it('names the services and their messages', async () => {
    const { address } = await openDoor({ reflection: true });
    const reflection = new ReflectionServiceClient(address);
    const services = await reflection.services();
    expect(services).toContain('envoy.service.ratelimit.v3.RateLimitService');
    expect(services).toContain('grpc.health.v1.Health');
    const files = await reflection.filesOf('envoy.service.ratelimit.v3.RateLimitRequest');
    expect(files.some((bytes) => bytes.includes('is_negative_hits'))).toBe(true);
  });

  it('is not there where it is off', async () => {
    const { address } = await openDoor();
    const asked = new ReflectionServiceClient(address).services();
    await expect(asked).rejects.toMatchObject(failing(unimplemented));
  });
});

describe('on the way out', () => {
  it('says so, serves on, answers what is under way, and takes no more', async () => {
    const { client, door, service, health } = await openDoor({ graceMs: 300 });
    const gateway = client();
    let open: (value?: unknown) => void = () => {};
    service.gate = new Promise((resolve) => (open = resolve));
    const asked = gateway.askFor('ann');
    while (service.asked.length < 1) await sleep(5);
    const drained = door.drain.start();
    expect(health.isServing).toBe(false);
    expect(await gateway.check('')).toBe('NOT_SERVING');
    // Within the grace new calls are taken.
    const second = gateway.askFor('bob');
    while (service.asked.length < 2) await sleep(5);
    let isOver = false;
    void drained.then(() => (isOver = true));
    await sleep(400);
    expect(isOver).toBe(false);
    open();
    expect((await asked).overallCode).toBe('OK');
    expect((await second).overallCode).toBe('OK');
    await drained;
    await expect(client().askFor('ann')).rejects.toMatchObject({ code: 14 });
  });

  it('ends what hangs when told twice', async () => {
    const { client, door, service } = await openDoor();
    service.gate = new Promise(() => {});
    const asked = client()
      .askFor('ann')
      .then(
        () => 'answered',
        () => 'failed',
      );
    while (service.asked.length < 1) await sleep(5);
    const drained = door.drain.start();
    door.drain.hurry();
    await drained;
    expect(await asked).toBe('failed');
  });
});
